// The objects of a result of any task, in one form that all export formats are written from.

import type {
  Box,
  Detection,
  KeypointPosition,
  Mask,
  MaskRunsResult,
  ObjectsResult,
  Point,
  Polygon,
  Region,
} from "../api/types.js";
import type { Size } from "../preprocess/letterbox.js";
import { type PixelTest, type Runs, runTest } from "./rle.js";

export interface FoundObject {
  label: string;
  classIndex: number;
  /** Null if each pixel was classified separately. */
  score: number | null;
  box: Box;
  /** Null if the task has no masks. */
  inside: PixelTest | null;
  /** A box of whole pixels around the mask, so that the rest of a large picture is not tested; null without one. */
  within: Box | null;
  /** Null if they have to be computed from `inside`. */
  runs: Runs | null;
  corners: readonly Point[] | null;
  keypoints: readonly KeypointPosition[] | null;
}

/** The fields that a task adds to a detection. */
interface Additions {
  mask?: Mask;
  corners?: readonly Point[];
  polygon?: Polygon;
  keypoints?: readonly KeypointPosition[];
}

/** The class of a mask without a class. */
const OBJECT = { label: "object", classIndex: 0 };

/** Returns the objects of a result, in its order. */
export function foundObjects(result: ObjectsResult | MaskRunsResult): FoundObject[] {
  if ("regions" in result) {
    const { map, width } = result;
    return result.regions.map((one, index) => ({
      ...found(one, {}, result),
      inside: (x, y) => map[y * width + x] === index + 1,
      within: one.box,
    }));
  }
  if ("masks" in result) {
    const { masks, width } = result;
    return masks.map(({ mask, score, box }) => {
      const object = { ...found({ ...OBJECT, score, box }, {}, result), within: box };
      if ("counts" in mask) return { ...object, inside: runTest(mask), runs: mask.counts };
      return { ...object, inside: (x: number, y: number) => mask[y * width + x] === 1 };
    });
  }
  return listOf(result).map((one) => found(one, one, result));
}

function listOf(
  result: Exclude<ObjectsResult, { regions: unknown } | { masks: unknown }>,
): readonly (Detection & Additions)[] {
  if ("detections" in result) return result.detections;
  if ("poses" in result) return result.poses;
  return "segments" in result ? result.segments : result.objects;
}

function found(
  { label, classIndex, score, box }: Pick<Detection | Region, "label" | "classIndex" | "score" | "box">,
  { mask, corners, polygon, keypoints }: Additions,
  picture: Size,
): FoundObject {
  return {
    label,
    classIndex,
    score,
    box,
    inside: mask ? insideMask(mask) : null,
    within: mask ? pixelsOf(mask, picture) : null,
    runs: null,
    corners: corners ?? polygon?.map(([x, y]) => ({ x, y })) ?? null,
    keypoints: keypoints ?? null,
  };
}

/** Returns the pixels of the picture that a mask may cover. */
function pixelsOf({ x, y, width, height }: Mask, picture: Size): Box {
  return {
    x1: Math.max(0, Math.floor(x)),
    y1: Math.max(0, Math.floor(y)),
    x2: Math.min(picture.width, Math.ceil(x + width)),
    y2: Math.min(picture.height, Math.ceil(y + height)),
  };
}

/** Whether the centre of a pixel is in a cell of the mask that is 1. */
export function insideMask({ x: left, y: top, width, height, columns, rows, data }: Mask): PixelTest {
  return (x, y) => {
    const column = Math.floor(((x + 0.5 - left) / width) * columns);
    const row = Math.floor(((y + 0.5 - top) / height) * rows);
    return column >= 0 && column < columns && row >= 0 && row < rows && data[row * columns + column] === 1;
  };
}
