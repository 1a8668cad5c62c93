// Where the masks of a model become a result: on the GPU where that comes to the same as the CPU, else on the CPU.

import type { Tensors, Warning } from "../api.js";
import { decideSegments } from "../cutting/decide.js";
import { GpuCutter } from "../cutting/gpu-cutter.js";
import { maskDifference } from "../cutting/trial.js";
import type { Decoded } from "../decode.js";
import { deviceOf, type Engine } from "../engine.js";
import type { GpuTensor } from "../gpu-tensor.js";
import type { Geometry } from "../letterbox.js";
import type { Manifest } from "../manifest.js";
import type { Route } from "../results.js";
import { decideRegions } from "./decide.js";
import { GpuContest } from "./gpu-contest.js";
import { canDecide } from "./regions.js";
import { regionDifference } from "./trial.js";

/** The part of the pixels of a noisy picture that may go to another: those where two are about equally likely. */
const DOUBTFUL = 0.01;

/** Makes a result of masks that stayed on the GPU and of the other outputs, which did not. */
export type Decide = (
  manifest: Manifest,
  masks: GpuTensor,
  others: Tensors,
  geometry: Geometry,
) => Promise<{ decoded: Decoded; warnings: Warning[] }>;

export interface Judge {
  decide: Decide | null;
  route: Route;
}

/** A judge, what its result should be equal in, and the part of a picture in which it is not. */
interface Tried {
  decide: Decide;
  same: string;
  differs: string;
  part: number;
}

/** Returns the judge of a model that has a session. Never rejects: where the GPU cannot, the CPU does, and says why. */
export async function openJudge(
  { task }: Manifest,
  engine: Engine | null,
  pixels: "auto" | "cpu",
): Promise<Judge> {
  if (engine === null) return onCpu("the model runs on WASM");
  if (task.kind !== "panoptic" && task.kind !== "segment")
    return onCpu("only masks become a result on the GPU");
  if (pixels === "cpu") return onCpu('pixels "cpu" was asked for');
  try {
    const device = await deviceOf(engine);
    const { decide, same, differs, part } =
      task.kind === "segment" ? await cutting(device) : await contesting(device, task.scores === null);
    if (!(part <= DOUBTFUL)) return onCpu(`the GPU gives ${(part * 100).toFixed(0)} % of ${differs}`);
    return { decide, route: { path: "gpu", why: `the GPU ${same} as the CPU` } };
  } catch (error) {
    return onCpu(`the GPU does not do it: ${error}`);
  }
}

async function contesting(device: GPUDevice, byClass: boolean): Promise<Tried> {
  const contest = await GpuContest.open(device);
  return {
    decide: decideRegions(contest),
    same: "gives pixels to the same regions",
    differs: "a picture to another",
    part: await regionDifference(device, contest, byClass),
  };
}

async function cutting(device: GPUDevice): Promise<Tried> {
  const cutter = await GpuCutter.open(device);
  return {
    decide: decideSegments(cutter),
    same: "cuts the same masks",
    differs: "a mask to the wrong side",
    part: await maskDifference(device, cutter),
  };
}

/** Returns the outputs that a session leaves on the GPU: reading them from there afterwards costs the same. */
export function gpuOutputs({ task }: Manifest, pixels: "auto" | "cpu"): string[] {
  return pixels === "auto" ? masksOf(task) : [];
}

/** Returns the outputs that stay on the GPU in a run. */
export function keptOutputs({ decide }: Judge, { task }: Manifest): string[] {
  if (decide === null || (task.kind === "panoptic" && !canDecide(task))) return [];
  return masksOf(task);
}

function masksOf(task: Manifest["task"]): string[] {
  if (task.kind === "panoptic") return [task.masks];
  return task.kind === "segment" ? [task.protos] : [];
}

function onCpu(why: string): Judge {
  return { decide: null, route: { path: "cpu", why } };
}
