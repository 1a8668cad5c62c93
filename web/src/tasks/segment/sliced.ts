// Objects with masks from slices. As in SAHI, the bounding boxes of their masks are compared, and matching
// masks are merged into one mask in pixels of the picture.

import type { Box, Mask, Segment } from "../../api/types.js";
import { insideMask } from "../../export/objects.js";
import { boxAround, movedBox, movedPoint, type SlicedTask, UPRIGHT } from "../../slices/sliced-task.js";

export const MASKED: SlicedTask<Segment> = {
  field: "segments",
  move: (found, slice) => ({
    ...found,
    box: movedBox(found.box, slice),
    mask: movedPoint(found.mask, slice),
  }),
  outlineOf: ({ box, mask }) => ({ box: pixelsAround(mask) ?? box }),
  join(best, others) {
    const masks = [best, ...others].map(({ mask }) => mask);
    return { ...UPRIGHT.join(best, others), mask: unionOf(masks) };
  },
};

/**
 * Returns the outermost pixels of a mask, as in SAHI's polygons: a mask one pixel wide has a width of 0. Null
 * for an empty mask.
 */
function pixelsAround({ x, y, width, height, columns, rows, data }: Mask): Box | null {
  let [left, top, right, bottom] = [columns, rows, -1, -1];
  for (let row = 0; row < rows; row++) {
    const line = data.subarray(row * columns, (row + 1) * columns);
    const first = line.indexOf(1);
    if (first === -1) continue;
    top = Math.min(top, row);
    bottom = row;
    left = Math.min(left, first);
    right = Math.max(right, line.lastIndexOf(1));
  }
  if (bottom === -1) return null;
  const [across, down] = [width / columns, height / rows];
  return {
    x1: firstPixel(x + left * across),
    y1: firstPixel(y + top * down),
    x2: firstPixel(x + (right + 1) * across) - 1,
    y2: firstPixel(y + (bottom + 1) * down) - 1,
  };
}

/** Returns the first pixel whose centre is at or after an edge. */
function firstPixel(edge: number): number {
  return Math.ceil(edge - 0.5) + 0; // not -0
}

/** Returns the union: a cell for each pixel of the rectangle around the masks, 1 if its centre is in one. */
function unionOf(masks: readonly Mask[]): Mask {
  const around = boxAround(masks.map(wholePixels));
  const { x1: x, y1: y } = around;
  const [columns, rows] = [around.x2 - x, around.y2 - y];
  const data = new Uint8Array(columns * rows);
  for (const mask of masks) {
    const inside = insideMask(mask);
    const { x1, y1, x2, y2 } = wholePixels(mask);
    for (let line = y1; line < y2; line++)
      for (let column = x1, at = (line - y) * columns + x1 - x; column < x2; column++, at++)
        if (inside(column, line)) data[at] = 1;
  }
  return { x, y, width: columns, height: rows, columns, rows, data };
}

/** Returns the pixels whose centres are in the rectangle of a mask. */
function wholePixels({ x, y, width, height }: Mask): Box {
  return {
    x1: firstPixel(x),
    y1: firstPixel(y),
    x2: firstPixel(x + width),
    y2: firstPixel(y + height),
  };
}
