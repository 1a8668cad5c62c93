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
import { type PixelTest, type Runs, runTest } from "./rle.js";

export interface FoundObject {
  label: string;
  classIndex: number;
  /** Null if each pixel was classified separately. */
  score: number | null;
  box: Box;
  /** Null if the task has no masks. */
  inside: PixelTest | null;
  /** A box of whole pixels around the mask; null if it may cover the whole picture. */
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
      ...found(one, {}),
      inside: (x, y) => map[y * width + x] === index + 1,
    }));
  }
  if ("masks" in result) {
    const { masks, width } = result;
    return masks.map(({ mask, score, box }) => {
      const object = found({ ...OBJECT, score, box }, {});
      if ("counts" in mask) return { ...object, inside: runTest(mask), runs: mask.counts };
      return { ...object, inside: (x: number, y: number) => mask[y * width + x] === 1, within: box };
    });
  }
  return listOf(result).map((one) => found(one, one));
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
): FoundObject {
  return {
    label,
    classIndex,
    score,
    box,
    inside: mask ? insideMask(mask) : null,
    within: null,
    runs: null,
    corners: corners ?? polygon?.map(([x, y]) => ({ x, y })) ?? null,
    keypoints: keypoints ?? null,
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
