// Makes the input tensors of a mask decoder from a prompt: clicks, a box, and the logits of an earlier mask.
// PointPromptInput in the manifest describes each input.

import type { TensorData, Tensors } from "../../api/types.js";
import type { Manifest, MaskGenerationTask, PointPromptInput } from "../../manifest/manifest.js";
import type { Geometry } from "../../preprocess/letterbox.js";
import { elementCount } from "../../tensors/element-count.js";
import { toTensor } from "../../tensors/typed-arrays.js";
import { checkInside, type PointPrompt, promptError } from "./options.js";
import { graphPoints, promptInputs } from "./prompt-length.js";

/** The labels of a box's corners; the label of padding follows. */
const CORNERS = [2, 3];
const PADDING = -1;

interface Decoder {
  task: MaskGenerationTask;
  inputs: Manifest["inputs"];
}

type PromptValues = Record<PointPromptInput["role"], ArrayLike<number>>;

/** Returns the tensors of all prompt inputs. Throws "invalid-prompt" if the prompt does not fit the graph. */
export function promptFeeds(decoder: Decoder, prompt: PointPrompt, geometry: Geometry): Tensors {
  return severalPromptFeeds(decoder, [prompt], geometry);
}

/** Like promptFeeds(), for as many prompts as the graph takes in a run, each for its own object. */
export function severalPromptFeeds(
  { task, inputs }: Decoder,
  prompts: readonly PointPrompt[],
  geometry: Geometry,
): Tensors {
  const room = graphPoints({ inputs });
  const ofEach = prompts.map((prompt) => promptValues(task, prompt, geometry, room));
  const filled = promptInputs({ inputs }).filter(({ shape }) => shape[1] !== 0);
  return Object.fromEntries(filled.map((input) => [input.name, tensor(input, ofEach)]));
}

/** Returns the values of a prompt for each role of input. */
function promptValues(
  task: MaskGenerationTask,
  prompt: PointPrompt,
  geometry: Geometry,
  room: number,
): PromptValues {
  checkInside(prompt, geometry.source);
  const tokens = tokensOf(task, prompt, geometry);
  if (tokens.labels.length !== room) {
    const what = `the prompt has ${tokens.labels.length} points with the corners of its box and its padding, the graph takes ${room}`;
    throw promptError(what, "give as many points as the graph takes, or pack the model for this number");
  }
  const corners =
    prompt.box === null ? [] : boxPoints(prompt.box).flatMap((point) => toInputPoint(task, point, geometry));
  return {
    points: tokens.points,
    labels: tokens.labels,
    box: corners,
    mask: prompt.mask?.data ?? [],
    "has-mask": [Number(prompt.mask !== null)],
  };
}

/** Returns an input's tensor with the values of one prompt after the other; 0 without values. */
function tensor(input: PointPromptInput, prompts: readonly PromptValues[]): TensorData {
  const length = elementCount(input.shape);
  const share = length / prompts.length;
  const values = prompts.map((prompt) => prompt[input.role]);
  return toTensor(
    input,
    Array.from({ length }, (_, at) => values[Math.floor(at / share)]?.[at % share] ?? 0),
  );
}

function tokensOf(
  task: MaskGenerationTask,
  { points, labels, box }: PointPrompt,
  geometry: Geometry,
): { points: number[]; labels: number[] } {
  const boxed = box !== null && task.box === "corners";
  const padded = task.paddingPoint && box === null;
  const given = [...points, ...(boxed ? boxPoints(box) : [])];
  return {
    points: [...given.flatMap((point) => toInputPoint(task, point, geometry)), ...(padded ? [0, 0] : [])],
    labels: [...labels, ...(boxed ? CORNERS : []), ...(padded ? [PADDING] : [])],
  };
}

function boxPoints({ x1, y1, x2, y2 }: NonNullable<PointPrompt["box"]>): { x: number; y: number }[] {
  return [
    { x: x1, y: y1 },
    { x: x2, y: y2 },
  ];
}

/** Maps a point of the picture to the coordinates that the decoder takes: pixels of the input, or 0 to 1. */
function toInputPoint(
  { frame, coordinates, pointScale: scale = 1 }: MaskGenerationTask,
  { x, y }: { x: number; y: number },
  { source, left, top, width, height }: Geometry,
): [number, number] {
  const across = (x * (width / source.width) + left) * scale;
  const down = (y * (height / source.height) + top) * scale;
  const [rows = 1, columns = 1] = frame;
  return coordinates === "unit" ? [across / columns, down / rows] : [across, down];
}
