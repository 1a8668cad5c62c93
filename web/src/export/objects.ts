// What a result found, one object for each, whichever task it is of: what the formats of `export` are written from.

import type { Box, Detection, KeypointPosition, Mask, ObjectsResult, Point } from "../api/results.js";
import type { PixelTest } from "./rle.js";

export interface FoundObject {
  label: string;
  classIndex: number;
  /** Null where each pixel was decided by itself. */
  score: number | null;
  box: Box;
  /** Null where the task gives none. */
  inside: PixelTest | null;
  corners: readonly Point[] | null;
  keypoints: readonly KeypointPosition[] | null;
}

/** The objects of a result, in its order. */
export function foundObjects(result: ObjectsResult): FoundObject[] {
  switch (result.kind) {
    case "detect":
    case "grounding":
      return result.detections.map(plain);
    case "pose":
      return result.poses.map((pose) => ({ ...plain(pose), keypoints: pose.keypoints }));
    case "segment":
      return result.segments.map((one) => ({ ...plain(one), inside: insideMask(one.mask) }));
    case "obb":
      return result.objects.map((one) => ({ ...plain(one), corners: one.corners }));
    case "image-segmentation":
      return result.regions.map((region, index) => ({
        ...plain(region),
        inside: (x, y) => result.map[y * result.width + x] === index + 1,
      }));
    default:
      return result satisfies never;
  }
}

function plain({
  label,
  classIndex,
  score,
  box,
}: Omit<Detection, "score"> & { score: number | null }): FoundObject {
  return { label, classIndex, score, box, inside: null, corners: null, keypoints: null };
}

/** Whether the centre of a pixel lies in a cell of the mask that is 1. */
function insideMask({ x: left, y: top, width, height, columns, rows, data }: Mask): PixelTest {
  return (x, y) => {
    const column = Math.floor(((x + 0.5 - left) / width) * columns);
    const row = Math.floor(((y + 0.5 - top) / height) * rows);
    return column >= 0 && column < columns && row >= 0 && row < rows && data[row * columns + column] === 1;
  };
}
