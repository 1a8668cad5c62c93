// Rows of a head for rotated boxes into objects in the source picture.

import type { OrientedObject, Point } from "../api.js";
import type { Geometry } from "../letterbox.js";
import type { ObbTask } from "../manifest.js";
import { at, DETECTION_COLUMNS, decodeBox, decodeClass, foundRows, sourcePoint } from "./rows.js";

/** Those of any detection, and the angle. */
export const OBJECT_COLUMNS = DETECTION_COLUMNS + 1;

type Corners = OrientedObject["corners"];

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeObjects(task: ObbTask, geometry: Geometry, rows: Float32Array): OrientedObject[] {
  return foundRows(rows, OBJECT_COLUMNS).map((row) => decodeObject(task, geometry, row));
}

/** The box is measured in the source: a picture squeezed more one way turns and stretches it. */
function decodeObject(task: ObbTask, geometry: Geometry, row: Float32Array): OrientedObject {
  const inside = rowCorners(row);
  const corners = inside.map(({ x, y }) => sourcePoint(geometry, [x, y])) as Corners;
  const [first, second, , last] = corners;
  return {
    box: decodeBox(geometry, hull(inside)),
    ...decodeClass(task.classes, row),
    center: sourcePoint(geometry, row),
    width: Math.hypot(second.x - first.x, second.y - first.y),
    height: Math.hypot(last.x - first.x, last.y - first.y),
    angle: Math.atan2(second.y - first.y, second.x - first.x),
    corners,
  };
}

function rowCorners(row: Float32Array): Corners {
  const cosine = Math.cos(at(row, 6));
  const sine = Math.sin(at(row, 6));
  const corner = (along: number, down: number): Point => {
    const across = (along * at(row, 2)) / 2;
    const below = (down * at(row, 3)) / 2;
    return {
      x: at(row, 0) + across * cosine - below * sine,
      y: at(row, 1) + across * sine + below * cosine,
    };
  };
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}

function hull(corners: Corners): [number, number, number, number] {
  const x = corners.map((corner) => corner.x);
  const y = corners.map((corner) => corner.y);
  return [Math.min(...x), Math.min(...y), Math.max(...x), Math.max(...y)];
}
