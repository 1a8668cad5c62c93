// How a task's objects from slices are merged: upright boxes; others are in `tasks/<kind>/sliced.ts`.

import type { Box, Detection, Point } from "../api/types.js";
import type { Size } from "../preprocess/letterbox.js";
import type { Slice } from "./grid.js";

/** The outline of an object that is compared: its box, and for a rotated object the rotated box. */
export interface Outline {
  box: Box;
  turned?: { corners: readonly Point[]; area: number };
}

export interface SlicedTask<D extends Detection = Detection> {
  /** The field of a result with the objects. */
  readonly field: "detections" | "poses" | "objects" | "segments";
  /** Returns an object of a slice in coordinates of the picture. */
  move(found: D, slice: Slice, picture: Size): D;
  outlineOf(found: D): Outline;
  /** Merges the best object with those that match it. Without it only the best is kept. */
  join?(best: D, others: readonly D[]): D;
}

/** Objects with upright boxes: merged into one box around all. Other fields are those of the best. */
export const UPRIGHT = {
  move<D extends Detection>(found: D, slice: Slice): D {
    return { ...found, box: movedBox(found.box, slice) };
  },
  outlineOf: ({ box }: Detection): Outline => ({ box }),
  join<D extends Detection>(best: D, others: readonly D[]): D {
    return { ...best, box: boxAround([best, ...others].map(({ box }) => box)) };
  },
};

export function movedBox({ x1, y1, x2, y2 }: Box, { left, top }: Slice): Box {
  return { x1: x1 + left, y1: y1 + top, x2: x2 + left, y2: y2 + top };
}

export function movedPoint<P extends Point>(point: P, { left, top }: Slice): P {
  return { ...point, x: point.x + left, y: point.y + top };
}

/** Returns the box around all boxes. */
export function boxAround(boxes: readonly Box[]): Box {
  return boxes.reduce((first, second) => ({
    x1: Math.min(first.x1, second.x1),
    y1: Math.min(first.y1, second.y1),
    x2: Math.max(first.x2, second.x2),
    y2: Math.max(first.y2, second.y2),
  }));
}
