// Rotated boxes from slices. Of matching boxes only the best is kept: they have no common rotated box.

import type { Box, OrientedObject, Point } from "../../api/types.js";
import type { Size } from "../../preprocess/letterbox.js";
import { areaOf } from "../../slices/shared-area.js";
import { boxAround, movedPoint, type SlicedTask } from "../../slices/sliced-task.js";

export const ROTATED: SlicedTask<OrientedObject> = {
  field: "objects",
  move(found, slice, picture) {
    const corners = found.corners.map((corner) => movedPoint(corner, slice)) as OrientedObject["corners"];
    return {
      ...found,
      box: insideOf(picture, hull(corners)),
      center: movedPoint(found.center, slice),
      corners,
    };
  },
  outlineOf: ({ corners }) => ({ box: hull(corners), turned: { corners, area: areaOf(corners) } }),
};

function hull(corners: readonly Point[]): Box {
  return boxAround(corners.map(({ x, y }) => ({ x1: x, y1: y, x2: x, y2: y })));
}

function insideOf({ width, height }: Size, { x1, y1, x2, y2 }: Box): Box {
  const within = (value: number, most: number): number => Math.min(Math.max(value, 0), most);
  return { x1: within(x1, width), y1: within(y1, height), x2: within(x2, width), y2: within(y2, height) };
}
