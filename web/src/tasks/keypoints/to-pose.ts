// Makes a pose from the keypoints of a crop: mapped from the crop to the picture, with the box of the crop.

import type { Pose } from "../../api/types.js";
import type { KeypointsTask } from "../../manifest/manifest.js";
import { applyAffine } from "../../preprocess/crop/affine.js";
import type { Crop } from "../../preprocess/crop/place-crop.js";
import { detectionOf } from "../crop-task.js";
import type { InputKeypoint } from "./decode-keypoints.js";

export function toPose(task: KeypointsTask, crop: Crop, found: InputKeypoint[]): Pose {
  return {
    ...detectionOf(crop, task.classes[0]),
    keypoints: task.keypoints.map(({ name }, index) => {
      const { x, y, confidence } = found[index] ?? { x: Number.NaN, y: Number.NaN, confidence: Number.NaN };
      return { name, ...applyAffine(crop.toPicture, x, y), confidence };
    }),
  };
}
