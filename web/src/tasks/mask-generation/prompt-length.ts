// The number of points in a prompt, and the graph for that number: padding would change the result.

import type { Manifest, MaskGenerationTask, PointPromptInput } from "../../manifest/manifest.js";
import type { Size } from "../../preprocess/letterbox.js";
import type { ManifestOf } from "../task-module.js";
import type { PointPrompt } from "./options.js";

/** The number of points that a box becomes. */
const CORNERS = 2;

interface Decoder {
  task: MaskGenerationTask;
  inputs: Manifest["inputs"];
}

/** The inputs that a prompt fills in. */
export function promptInputs({ inputs }: Pick<Manifest, "inputs">): PointPromptInput[] {
  return inputs.filter((input) => input.kind === "point-prompt");
}

/** Returns the number of points that a prompt needs in a graph, including box corners and padding. */
export function pointCount(
  task: MaskGenerationTask,
  { points, box }: Pick<PointPrompt, "points" | "box">,
): number {
  const corners = box !== null && task.box === "corners" ? CORNERS : 0;
  return points.length + corners + Number(task.paddingPoint && box === null);
}

/** Returns the number of points per object in the graph with these inputs. */
export function graphPoints({ inputs }: Pick<Manifest, "inputs">): number {
  return pointsShape({ inputs }).at(-2) ?? 0;
}

/** Returns the number of prompts, each for its own object, in a run of the graph with these inputs. */
export function graphObjects({ inputs }: Pick<Manifest, "inputs">): number {
  return pointsShape({ inputs }).at(-3) ?? 1;
}

function pointsShape({ inputs }: Pick<Manifest, "inputs">): readonly number[] {
  return promptInputs({ inputs }).find(({ role }) => role === "points")?.shape ?? [];
}

/** Whether the graph with these inputs takes exactly this prompt, and no other with it. */
export function takesPrompt({ task, inputs }: Decoder, prompt: Pick<PointPrompt, "points" | "box">): boolean {
  if (graphObjects({ inputs }) !== 1) return false;
  const boxes = promptInputs({ inputs }).find(({ role }) => role === "box");
  const boxed = boxes !== undefined && boxes.shape[1] !== 0;
  const takesBox = task.box !== "input" || boxed === (prompt.box !== null);
  return graphPoints({ inputs }) === pointCount(task, prompt) && takesBox;
}

/** Returns the shape of the logits, and the shape of one mask's logits. */
export function layoutOf({ task, outputs }: Pick<ManifestOf<MaskGenerationTask>, "task" | "outputs">): {
  dims: readonly number[];
  grid: Size;
} {
  const dims = outputs.find(({ name }) => name === task.masks)?.shape ?? [];
  const [height = 0, width = 0] = dims.slice(-2);
  return { dims, grid: { width, height } };
}
