// A task that says something of each crop: of what an earlier stage found, or of the whole picture. As many crops run
// together as the graph takes.

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

/** The outputs of a graph that takes `batch` crops of the size `input`, of which `crops` are wanted. */
export interface CropOutputs {
  outputs: Tensors;
  crops: readonly Crop[];
  batch: number;
  input: Size;
}

/** What such a task knows itself. `Item` is plain data: it crosses threads. */
export interface CropRules<Spec extends TaskSpec, R extends TaskFields, Item> {
  kind: Spec["kind"];
  outputs(spec: Spec): string[];
  /** What the outputs say of each crop, in their order. */
  decode(spec: Spec, found: CropOutputs): Item[];
  /** All items, in the order of the boxes and of their parts. */
  result(items: Item[], picture: Size): R;
  /** Lines that are squeezed into the widest input are a warning. */
  readsLines?: true;
  more?: Partial<Pick<TaskModule<Spec, R>, "transfer" | "difference">>;
}

export type CropTask<Spec extends TaskSpec, R extends TaskFields, Item> = TaskModule<Spec, R> & {
  parts: PartRules<Spec, R, null, Item>;
};

export function cropTask<Spec extends TaskSpec, R extends TaskFields, Item>(
  rules: CropRules<Spec, R, Item>,
): CropTask<Spec, R, Item> {
  return {
    kind: rules.kind,
    neededOutputs: ({ task }) => rules.outputs(task),
    decode({ task }, outputs, { source, width, height, crops = [] }) {
      const found = { outputs, crops, batch: crops.length, input: { width, height } };
      return rules.result(rules.decode(task, found), source);
    },
    parts: partsOf(rules),
    ...rules.more,
  };
}

function partsOf<Spec extends TaskSpec, R extends TaskFields, Item>(
  rules: CropRules<Spec, R, Item>,
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
      return rules.decode(manifest.task, {
        outputs,
        crops,
        batch: input.shape[0] ?? 1,
        input: planeSize(input),
      });
    },
    join: (_manifest, items, { geometry }) => rules.result([...items], geometry.source),
    warnings: (manifest, scene, sizes) => {
      const input = cropInput(manifest);
      return [...tooMany(scene, input), ...(rules.readsLines ? tooLong(scene, input, sizes) : [])];
    },
  };
}

function tooMany(scene: SceneView, input: CropInput): Warning[] {
  const found = wantedBoxes(scene, input).length;
  if (found <= input.maxCrops) return [];
  return [
    {
      code: "many-crops",
      message: `only the ${input.maxCrops} best of ${found} boxes were looked at closer`,
      fix: "raise the confidence threshold, run parts of the picture, or pack the model with a larger max-crops",
    },
  ];
}

function tooLong(scene: SceneView, input: CropInput, sizes: readonly PictureSize[]): Warning[] {
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

/** What a crop was cut around, with what is said of that; `otherwise` is the label where nothing says what is in it. */
export function detectionOf({ around }: Crop, otherwise = "object"): Detection & CropAttributes {
  const { box, score, classIndex, label, said, polygon } = around;
  const corners = polygon && { polygon: polygon.map(([x, y]) => [x, y]) as Polygon };
  return { box, score, classIndex, label: label ?? otherwise, ...said, ...corners };
}

function cropInput({ inputs }: Pick<ManifestOf<TaskSpec>, "inputs">): CropInput {
  const input = inputs.find((each) => each.kind === "crop");
  if (input === undefined) throw internalError("a stage that looks at crops takes none");
  return input;
}

function cropsOf(input: CropInput, scene: SceneView, parts: readonly number[]): Crop[] {
  const boxes = cropParts(scene, input);
  return parts.flatMap((part) => boxes[part] ?? []).map((box) => placeCrop(box, input));
}

/** As many as the graph takes: crops do not touch each other, so that the last one may stand for those that are missing. */
function padded(crops: readonly Crop[], batch: number): Crop[] {
  const last = crops.at(-1);
  if (last === undefined) throw internalError("a stage of crops ran without one");
  return Array.from({ length: batch }, (_, index) => crops[index] ?? last);
}

/** The boxes that are looked at, a wide line in parts. */
function cropParts(scene: SceneView, input: CropInput): CropBox[] {
  return cropBoxes(scene, input).flatMap((box) => (input.aspect === "line" ? lineParts(box, input) : [box]));
}

/** The boxes that an earlier stage found, or looked at, and that are looked at here, best first. */
export function cropBoxes(scene: SceneView, input: CropInput): CropBox[] {
  return wantedBoxes(scene, input)
    .slice(0, input.maxCrops)
    .map((detection) => {
      const { box, score, classIndex, label } = detection;
      const said = saidOf(detection);
      const points: CropBox["points"] = said.keypoints?.map(({ x, y }) => [x, y]) ?? [];
      return { box, score, classIndex, label, points, said, ...cornersFor(detection, input) };
    });
}

/** The polygon, from where the text begins: a line that an earlier stage takes to stand on its head is turned. */
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

function saidOf({ keypoints, classes, embedding }: Detection & CropAttributes): CropAttributes {
  return {
    ...(keypoints && { keypoints }),
    ...(classes && { classes }),
    ...(embedding && { embedding }),
  };
}

/** However many there are. */
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

/** Null for a result that has no objects. */
function detectionsIn(result: TaskFields): readonly Detection[] | null {
  for (const value of Object.values(result))
    if (Array.isArray(value) && value.every(isDetection)) return value;
  return null;
}

function isDetection(value: unknown): value is Detection {
  return typeof value === "object" && value !== null && "box" in value && "classIndex" in value;
}
