// How many points a prompt takes, and the graph that takes as many: what it is padded with changes the answer.

import type { Manifest, MaskGenerationTask, PointPromptInput } from "../../manifest/manifest.js";
import type { Size } from "../../preprocess/letterbox.js";
import type { ManifestOf } from "../task-module.js";
import type { PointPrompt } from "./options.js";

/** Points of a box. */
const CORNERS = 2;

interface Decoder {
  task: MaskGenerationTask;
  inputs: Manifest["inputs"];
}

/** The inputs that a prompt fills in. */
export function promptInputs({ inputs }: Pick<Manifest, "inputs">): PointPromptInput[] {
  return inputs.filter((input) => input.kind === "point-prompt");
}

/** Returns how many points a graph has to take for a prompt, corners and padding included. */
export function pointCount(
  task: MaskGenerationTask,
  { points, box }: Pick<PointPrompt, "points" | "box">,
): number {
  const corners = box !== null && task.box === "corners" ? CORNERS : 0;
  return points.length + corners + Number(task.paddingPoint && box === null);
}

/** Returns how many points of each object the graph of these inputs takes. */
export function graphPoints({ inputs }: Pick<Manifest, "inputs">): number {
  return pointsShape({ inputs }).at(-2) ?? 0;
}

/** Returns how many prompts the graph of these inputs takes in a run, each of an object of its own. */
export function graphObjects({ inputs }: Pick<Manifest, "inputs">): number {
  return pointsShape({ inputs }).at(-3) ?? 1;
}

function pointsShape({ inputs }: Pick<Manifest, "inputs">): readonly number[] {
  return promptInputs({ inputs }).find(({ role }) => role === "points")?.shape ?? [];
}

/** Whether the graph of these inputs takes exactly this prompt, and no other beside it. */
export function takesPrompt({ task, inputs }: Decoder, prompt: Pick<PointPrompt, "points" | "box">): boolean {
  if (graphObjects({ inputs }) !== 1) return false;
  const boxes = promptInputs({ inputs }).find(({ role }) => role === "box");
  const boxed = boxes !== undefined && boxes.shape[1] !== 0;
  const takesBox = task.box !== "input" || boxed === (prompt.box !== null);
  return graphPoints({ inputs }) === pointCount(task, prompt) && takesBox;
}

/** The shape of the logits, and that of one mask's. */
export function layoutOf({ task, outputs }: Pick<ManifestOf<MaskGenerationTask>, "task" | "outputs">): {
  dims: readonly number[];
  grid: Size;
} {
  const dims = outputs.find(({ name }) => name === task.masks)?.shape ?? [];
  const [height = 0, width = 0] = dims.slice(-2);
  return { dims, grid: { width, height } };
}
