// Tasks of a graph that takes crops, such as keypoints, classes or text lines. Cuts a crop around each box of
// an earlier stage (or the whole picture), runs them in batches [batch, C, H, W], and decodes one item per
// crop.

import { internalError, WebbuildError } from "../api/errors.js";
import type { CropAttributes, Detection, PictureSize, Tensors, Warning } from "../api/types.js";
import type { CropInput } from "../manifest/manifest.js";
import { lineParts } from "../preprocess/crop/line-parts.js";
import { type Crop, type CropBox, cornersOf, lineSize, placeCrop } from "../preprocess/crop/place-crop.js";
import { cropTensor } from "../preprocess/crop/scene-crops.js";
import { holdsLine } from "../preprocess/fitting-size.js";
import { planeSize, type Size } from "../preprocess/letterbox.js";
import type { SceneView } from "../stages/scene-view.js";
import type { ManifestOf, PartRules, TaskFields, TaskModule, TaskSpec } from "./task-module.js";
import type { Polygon } from "./text-boxes/result.js";

/**
 * The outputs of a run of `batch` crops of the size `input`. Only the first `crops.length` are used; the rest
 * is padding.
 */
export interface CropOutputs {
  outputs: Tensors;
  crops: readonly Crop[];
  batch: number;
  input: Size;
}

/**
 * The part of a task of crops that differs. `Item` is the decoded output of a crop: plain data, as it is
 * posted between threads.
 */
export interface CropDecoder<Spec extends TaskSpec, R extends TaskFields, Item> {
  kind: Spec["kind"];
  /** The names of the outputs that `decode` reads. */
  outputs(spec: Spec): string[];
  /** Returns one item per crop, in the order of the crops. */
  decode(spec: Spec, cropOutputs: CropOutputs): Item[];
  /** Makes the result from all items, in the order of the boxes and of their parts. */
  result(items: Item[], picture: Size): R;
  /** Set for text lines: a line too wide for the widest input is squeezed, with the warning "long-lines". */
  readsLines?: true;
  /** Members of the task that differ from other crop tasks. */
  overrides?: Partial<Pick<TaskModule<Spec, R>, "transfer" | "difference">>;
}

export type CropTask<Spec extends TaskSpec, R extends TaskFields, Item> = TaskModule<Spec, R> & {
  parts: PartRules<Spec, R, null, Item>;
};

export function cropTask<Spec extends TaskSpec, R extends TaskFields, Item>(
  decoder: CropDecoder<Spec, R, Item>,
): CropTask<Spec, R, Item> {
  return {
    kind: decoder.kind,
    neededOutputs: ({ task }) => decoder.outputs(task),
    decode({ task }, outputs, { source, width, height, crops = [] }) {
      const found = { outputs, crops, batch: crops.length, input: { width, height } };
      return decoder.result(decoder.decode(task, found), source);
    },
    parts: partsOf(decoder),
    ...decoder.overrides,
  };
}

function partsOf<Spec extends TaskSpec, R extends TaskFields, Item>(
  decoder: CropDecoder<Spec, R, Item>,
): PartRules<Spec, R, null, Item> {
  return {
    lines(manifest, scene) {
      const input = cropInput(manifest);
      return cropParts(scene, input).map((box) => (input.aspect === "line" ? lineSize(box) : null));
    },
    async feeds(manifest, scene, parts, _context, device) {
      const input = cropInput(manifest);
      const crops = padded(cropsOf(input, scene, parts), input.shape[0] ?? 1);
      return { [input.name]: await cropTensor(scene.picture, input, crops, device) };
    },
    decode(manifest, outputs, scene, parts) {
      const input = cropInput(manifest);
      const crops = cropsOf(input, scene, parts);
      return decoder.decode(manifest.task, {
        outputs,
        crops,
        batch: input.shape[0] ?? 1,
        input: planeSize(input),
      });
    },
    join: (_manifest, items, { geometry }) => decoder.result([...items], geometry.source),
    warnings: (manifest, scene, sizes) => {
      const input = cropInput(manifest);
      return [
        ...manyCropsWarnings(scene, input),
        ...(decoder.readsLines ? longLineWarnings(scene, input, sizes) : []),
      ];
    },
  };
}

function manyCropsWarnings(scene: SceneView, input: CropInput): Warning[] {
  const found = wantedBoxes(scene, input).length;
  if (found <= input.maxCrops) return [];
  return [
    {
      code: "many-crops",
      message: `only the ${input.maxCrops} best of ${found} boxes were cropped`,
      fix: "raise the confidence threshold, run parts of the picture, or pack the model with a larger max-crops",
    },
  ];
}

function longLineWarnings(scene: SceneView, input: CropInput, sizes: readonly PictureSize[]): Warning[] {
  const widest = [...sizes].sort(([one], [other]) => one - other).at(-1);
  if (widest === undefined || input.split !== undefined) return [];
  const boxes = cropBoxes(scene, input);
  const squeezed = boxes.filter((each) => !holdsLine(widest, lineSize(each))).length;
  if (squeezed === 0) return [];
  const [width] = widest;
  const free = sizes.length > 1 ? "" : "; a reader of one width has to be exported with a free width first";
  return [
    {
      code: "long-lines",
      message: `${squeezed} of ${boxes.length} lines are longer than ${width} pixels of the model's input, and were squeezed`,
      fix: `pack the model for wider lines too: --widths 320,640,1280,2560${free}`,
    },
  ];
}

/**
 * Returns the detection of a crop's box, with attributes of earlier stages. `otherwise` is the label of a box
 * without one.
 */
export function detectionOf({ cropBox }: Crop, otherwise = "object"): Detection & CropAttributes {
  const { box, score, classIndex, label, attributes, polygon } = cropBox;
  const corners = polygon && { polygon: polygon.map(([x, y]) => [x, y]) as Polygon };
  return { box, score, classIndex, label: label ?? otherwise, ...attributes, ...corners };
}

function cropInput({ inputs }: Pick<ManifestOf<TaskSpec>, "inputs">): CropInput {
  const input = inputs.find((each) => each.kind === "crop");
  if (input === undefined) throw internalError("a stage of crops without a crop input");
  return input;
}

function cropsOf(input: CropInput, scene: SceneView, parts: readonly number[]): Crop[] {
  const boxes = cropParts(scene, input);
  return parts.flatMap((part) => boxes[part] ?? []).map((box) => placeCrop(box, input));
}

/** Fills the batch up to the graph's size by repeating the last crop: crops of a batch do not influence each other. */
function padded(crops: readonly Crop[], batch: number): Crop[] {
  const last = crops.at(-1);
  if (last === undefined) throw internalError("a stage of crops ran without one");
  return Array.from({ length: batch }, (_, index) => crops[index] ?? last);
}

/** Returns the boxes to crop. A wide text line is split into several. */
function cropParts(scene: SceneView, input: CropInput): CropBox[] {
  return cropBoxes(scene, input).flatMap((box) => (input.aspect === "line" ? lineParts(box, input) : [box]));
}

/**
 * Returns the boxes of the last earlier stage that has any, filtered by class and score: the `maxCrops` best,
 * best first.
 */
export function cropBoxes(scene: SceneView, input: CropInput): CropBox[] {
  return wantedBoxes(scene, input)
    .slice(0, input.maxCrops)
    .map((detection) => {
      const { box, score, classIndex, label } = detection;
      const attributes = attributesOf(detection);
      const points: CropBox["points"] = attributes.keypoints?.map(({ x, y }) => [x, y]) ?? [];
      return { box, score, classIndex, label, points, attributes, ...cornersFor(detection, input) };
    });
}

/** Returns the polygon of the box, from where its text begins. An upside-down line is rotated by 180°. */
function cornersFor(
  detection: Detection & CropAttributes,
  { halfTurn }: CropInput,
): Pick<CropBox, "polygon" | "turned"> {
  const { box, polygon, classes = [] } = detection;
  if (halfTurn !== undefined) {
    const turned = classes.some(({ label, score }) => label === halfTurn.label && score > halfTurn.score);
    const [first, second, third, last] = cornersOf({ box, ...(polygon && { polygon }) });
    if (turned) return { polygon: [third, last, first, second], turned };
  }
  return polygon ? { polygon } : {};
}

function attributesOf({ keypoints, classes, embedding }: Detection & CropAttributes): CropAttributes {
  return {
    ...(keypoints && { keypoints }),
    ...(classes && { classes }),
    ...(embedding && { embedding }),
  };
}

/** Returns all boxes with the classes and scores that the input takes, not limited by `maxCrops`. */
function wantedBoxes({ results }: SceneView, input: CropInput): (Detection & CropAttributes)[] {
  const found = [...results.values()].map(detectionsIn).findLast((each) => each !== null);
  if (found === undefined || found === null) {
    const fix = "pack the model again: a stage that takes crops comes after one that finds boxes";
    throw new WebbuildError("invalid-manifest", "no stage finds the boxes that crops are cut around", fix);
  }
  return found.filter((each) => isLookedAt(each, input));
}

function isLookedAt({ box, score, classIndex }: Detection, { classes, minScore }: CropInput): boolean {
  const wanted = classes.length === 0 || classes.includes(classIndex);
  return wanted && score >= minScore && box.x2 > box.x1 && box.y2 > box.y1;
}

/** Returns the detections in a result of any task, null if it has none. */
function detectionsIn(result: TaskFields): readonly Detection[] | null {
  for (const value of Object.values(result))
    if (Array.isArray(value) && value.every(isDetection)) return value;
  return null;
}

function isDetection(value: unknown): value is Detection {
  return typeof value === "object" && value !== null && "box" in value && "classIndex" in value;
}
