// Rotated boxes: decodes rows [1, rows, 7] into objects in the source picture.

import type { ObbResult, OrientedObject, Point } from "../../api/types.js";
import type { ObbTask } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import type { Tolerance } from "../../self-test/tolerance.js";
import {
  at,
  DETECTION_COLUMNS,
  decodeBox,
  decodeClass,
  rowsWithoutPadding,
  sourcePoint,
} from "../detection-rows.js";
import { readRows } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";

/** The columns of every detection, and the angle. */
const OBJECT_COLUMNS = DETECTION_COLUMNS + 1;

export const task: TaskModule<ObbTask, FieldsOf<ObbResult>> = {
  kind: "obb",
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task }, outputs, geometry) {
    const rows = readRows(task, outputs, OBJECT_COLUMNS);
    return { kind: "obb", ...geometry.source, objects: decodeObjects(task, geometry, rows) };
  },
  rows: { output: ({ output }) => output, isEmptyBox: hasNoSides, ownColumnsMatch: anglesMatch },
};

type Corners = OrientedObject["corners"];

/** Decodes `rows`, the elements of the task's output in row-major order. A score of 0 is padding. */
export function decodeObjects(task: ObbTask, geometry: Geometry, rows: Float32Array): OrientedObject[] {
  return rowsWithoutPadding(rows, OBJECT_COLUMNS).map((row) => decodeObject(task, geometry, row));
}

/** The box is measured in the source picture: an unequal scale of x and y turns and stretches it. */
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

function hasNoSides(row: Float32Array): boolean {
  return at(row, 2) <= 0 || at(row, 3) <= 0;
}

/** Compares angles by the distance between the ends of the longer side; a half turn is the same box. */
function anglesMatch(_: ObbTask, row: Float32Array, other: Float32Array, { pixels }: Tolerance): boolean {
  const turned = Math.abs(at(row, DETECTION_COLUMNS) - at(other, DETECTION_COLUMNS)) % Math.PI;
  const reach = Math.max(at(row, 2), at(row, 3)) / 2;
  return Math.min(turned, Math.PI - turned) * reach <= pixels;
}
