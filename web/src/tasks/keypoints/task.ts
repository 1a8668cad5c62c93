// Keypoints of crops: of the whole picture, or of what an earlier stage found in it.

import type { Pose, PoseResult } from "../../api/types.js";
import type { KeypointsTask } from "../../manifest/manifest.js";
import { applyAffine } from "../../preprocess/crop/affine.js";
import type { Crop } from "../../preprocess/crop/place-crop.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { decodeKeypoints, headOutputs, type InputKeypoint } from "./decode-keypoints.js";

export const task: TaskModule<KeypointsTask, FieldsOf<PoseResult>> = {
  kind: "keypoints",
  neededOutputs: ({ task }) => headOutputs(task),
  decode({ task }, outputs, geometry) {
    return { kind: "pose", ...geometry.source, poses: decodePoses(task, outputs, geometry) };
  },
};

/** Decodes the outputs of an input of crops, which lie in the picture as the geometry says. */
export function decodePoses(
  task: KeypointsTask,
  outputs: Parameters<typeof decodeKeypoints>[1],
  { width, height, crops = [] }: Geometry,
): Pose[] {
  const found = decodeKeypoints(task, outputs, crops.length, { width, height });
  return crops.map((crop, index) => toPose(task, crop, found[index] ?? []));
}

/** What the crop was cut around, with its keypoints in the picture. */
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
