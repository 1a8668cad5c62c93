// Where masks and depth maps become a result: on the GPU where that comes to the same as the CPU, else on the CPU.

import type { Tensors, Warning } from "./api.js";
import { decideColors } from "./coloring/decide.js";
import { GpuPainter } from "./coloring/gpu-painter.js";
import { colorDifference } from "./coloring/trial.js";
import { decideRegions } from "./contest/decide.js";
import { GpuContest } from "./contest/gpu-contest.js";
import { canDecide } from "./contest/regions.js";
import { regionDifference } from "./contest/trial.js";
import { decideSegments } from "./cutting/decide.js";
import { GpuCutter } from "./cutting/gpu-cutter.js";
import { maskDifference } from "./cutting/trial.js";
import type { Decoded } from "./decode.js";
import { deviceOf, type Engine } from "./engine.js";
import type { GpuTensor } from "./gpu-tensor.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import type { Route } from "./results.js";
import type { DepthWish } from "./tasks/depth-parts.js";
import type { Reading } from "./tasks/phrases.js";

/** The part of the pixels of a noisy picture that may go to another: those where two are about equally likely. */
const DOUBTFUL = 0.01;

/** What a run was told that its result depends on, and not what the graph computes. Each is null for other tasks. */
export interface Asking {
  reading: Reading | null;
  wish: DepthWish | null;
}

/** Makes a result of outputs that stayed on the GPU, by their names, and of the others, which did not. */
export type Decide = (
  manifest: Manifest,
  kept: Readonly<Record<string, GpuTensor>>,
  others: Tensors,
  geometry: Geometry,
  asking: Asking,
) => Promise<{ decoded: Decoded; warnings: Warning[] }>;

export interface Judge {
  decide: Decide | null;
  route: Route;
}

/** A judge, what its result should be equal in, and in words how it is not: null where it is. */
interface Tried {
  decide: Decide;
  same: string;
  differs: string | null;
}

type Task = Manifest["task"];

/** Returns the judge of a model that has a session. Never rejects: where the GPU cannot, the CPU does, and says why. */
export async function openJudge(
  { task }: Manifest,
  engine: Engine | null,
  pixels: "auto" | "cpu",
): Promise<Judge> {
  if (engine === null) return onCpu("the model runs on WASM");
  const trial = trialOf(task);
  if (trial === null) return onCpu("only masks and depth maps become a result on the GPU");
  if (pixels === "cpu") return onCpu('pixels "cpu" was asked for');
  try {
    const { decide, same, differs } = await trial(await deviceOf(engine));
    if (differs !== null) return onCpu(`the GPU ${differs}`);
    return { decide, route: { path: "gpu", why: `the GPU ${same} as the CPU` } };
  } catch (error) {
    return onCpu(`the GPU does not do it: ${error}`);
  }
}

function trialOf(task: Task): ((device: GPUDevice) => Promise<Tried>) | null {
  switch (task.kind) {
    case "panoptic":
      return (device) => contesting(device, task.scores === null);
    case "segment":
      return cutting;
    case "depth":
      return coloring;
    default:
      return null;
  }
}

async function contesting(device: GPUDevice, byClass: boolean): Promise<Tried> {
  const contest = await GpuContest.open(device);
  return {
    decide: decideRegions(contest),
    same: "gives pixels to the same regions",
    differs: tooMuch(await regionDifference(device, contest, byClass), "a picture to another"),
  };
}

async function cutting(device: GPUDevice): Promise<Tried> {
  const cutter = await GpuCutter.open(device);
  return {
    decide: decideSegments(cutter),
    same: "cuts the same masks",
    differs: tooMuch(await maskDifference(device, cutter), "a mask to the wrong side"),
  };
}

async function coloring(device: GPUDevice): Promise<Tried> {
  const painter = await GpuPainter.open(device);
  const why = await colorDifference(device, painter);
  return {
    decide: decideColors(painter),
    same: "gives a depth map the same colours",
    differs: why && `does not colour a depth map as the CPU does: ${why}`,
  };
}

function tooMuch(part: number, what: string): string | null {
  return part <= DOUBTFUL ? null : `gives ${(part * 100).toFixed(0)} % of ${what}`;
}

/** Returns the outputs that a session leaves on the GPU: reading them from there afterwards costs the same. */
export function gpuOutputs({ task }: Manifest, pixels: "auto" | "cpu"): string[] {
  return pixels === "auto" ? mapsOf(task, true) : [];
}

/** Returns the outputs that stay on the GPU in a run. */
export function keptOutputs({ decide }: Judge, { task }: Manifest, wish: DepthWish | null): string[] {
  if (decide === null || (task.kind === "panoptic" && !canDecide(task))) return [];
  return task.kind === "depth" && !wish?.colors ? [] : mapsOf(task, wish?.fade === true);
}

function mapsOf(task: Task, fade: boolean): string[] {
  if (task.kind === "panoptic") return [task.masks];
  if (task.kind === "depth") return [task.output, ...(fade && task.confidence ? [task.confidence] : [])];
  return task.kind === "segment" ? [task.protos] : [];
}

function onCpu(why: string): Judge {
  return { decide: null, route: { path: "cpu", why } };
}
