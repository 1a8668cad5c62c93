// A crop's keypoints in the picture, with what the crop was cut around.

import type { Pose } from "../../api/types.js";
import type { KeypointsTask } from "../../manifest/manifest.js";
import { applyAffine } from "../../preprocess/crop/affine.js";
import type { Crop } from "../../preprocess/crop/place-crop.js";
import type { InputKeypoint } from "./decode-keypoints.js";

export function toPose(task: KeypointsTask, { around, toPicture }: Crop, found: InputKeypoint[]): Pose {
  const { box, score, classIndex, label } = around;
  return {
    box,
    score,
    classIndex,
    label: label ?? task.classes[0] ?? "object",
    keypoints: task.keypoints.map(({ name }, index) => {
      const { x, y, confidence } = found[index] ?? { x: Number.NaN, y: Number.NaN, confidence: Number.NaN };
      return { name, ...applyAffine(toPicture, x, y), confidence };
    }),
  };
}
