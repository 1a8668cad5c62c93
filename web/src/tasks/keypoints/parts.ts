// Keypoints of everything that an earlier stage found: a crop around each box, as many together as the graph takes.

import { internalError, WebbuildError } from "../../api/errors.js";
import type { Detection, Pose, PoseResult } from "../../api/types.js";
import type { CropInput, KeypointsTask } from "../../manifest/manifest.js";
import { type Crop, type CropBox, placeCrop } from "../../preprocess/crop/place-crop.js";
import { cropTensor } from "../../preprocess/crop/scene-crops.js";
import { planeSize } from "../../preprocess/letterbox.js";
import type { SceneView } from "../../stages/scene-view.js";
import type { FieldsOf, ManifestOf, PartRange, PartRules, TaskFields } from "../task-module.js";
import { decodeKeypoints } from "./decode-keypoints.js";
import { toPose } from "./to-pose.js";

/** Boxes that are looked at closer in a picture: of more, the best. */
export const MOST_CROPS = 1000;

type PoseFields = FieldsOf<PoseResult>;
type KeypointsManifest = ManifestOf<KeypointsTask>;

export const parts: PartRules<KeypointsTask, PoseFields, null, Pose> = {
  count: (manifest, scene) => cropBoxes(scene, cropInput(manifest)).length,
  async feeds(manifest, scene, range, _context, device) {
    const input = cropInput(manifest);
    const crops = padded(cropsOf(manifest, scene, range), input.shape[0] ?? 1);
    return { [input.name]: await cropTensor(scene.picture, input, crops, device) };
  },
  decode(manifest, outputs, scene, range) {
    const input = cropInput(manifest);
    const crops = cropsOf(manifest, scene, range);
    const found = decodeKeypoints(manifest.task, outputs, input.shape[0] ?? 1, planeSize(input));
    return crops.map((crop, index) => toPose(manifest.task, crop, found[index] ?? []));
  },
  join: (_manifest, poses, { geometry }) => ({ kind: "pose", ...geometry.source, poses: [...poses] }),
};

function cropInput({ inputs }: KeypointsManifest): CropInput {
  const input = inputs.find((each) => each.kind === "crop");
  if (input === undefined) throw internalError("a stage of keypoints takes no crop");
  return input;
}

function cropsOf(manifest: KeypointsManifest, scene: SceneView, { begin, end }: PartRange): Crop[] {
  const input = cropInput(manifest);
  return cropBoxes(scene, input)
    .slice(begin, end)
    .map((box) => placeCrop(box, input));
}

/** As many as the graph takes: crops do not touch each other, so that the last one may stand for those that are missing. */
function padded(crops: readonly Crop[], batch: number): Crop[] {
  const last = crops.at(-1);
  if (last === undefined) throw internalError("a stage of crops ran without one");
  return Array.from({ length: batch }, (_, index) => crops[index] ?? last);
}

/** The boxes that an earlier stage found, of the classes that are looked at, best first. */
export function cropBoxes({ results }: SceneView, { classes }: CropInput): CropBox[] {
  const found = Object.values(results)
    .map(detectionsIn)
    .findLast((each) => each !== null);
  if (found === undefined || found === null) {
    const fix = "pack the model again: a stage that takes crops comes after one that finds boxes";
    throw new WebbuildError("invalid-manifest", "no stage finds the boxes that crops are cut around", fix);
  }
  return found
    .filter(({ classIndex }) => classes.length === 0 || classes.includes(classIndex))
    .slice(0, MOST_CROPS)
    .map(({ box, score, classIndex, label, ...more }) => ({
      box,
      score,
      classIndex,
      label,
      points: "keypoints" in more ? (more as Pose).keypoints.map(({ x, y }) => [x, y] as const) : [],
    }));
}

/** Null for a result that has no objects. */
function detectionsIn(result: TaskFields): readonly Detection[] | null {
  for (const value of Object.values(result))
    if (Array.isArray(value) && value.every(isDetection)) return value;
  return null;
}

function isDetection(value: unknown): value is Detection {
  return typeof value === "object" && value !== null && "box" in value && "classIndex" in value;
}
