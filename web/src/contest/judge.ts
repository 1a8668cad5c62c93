// Where the masks of a model become regions: on the GPU where that comes to the same as the CPU, else on the CPU.

import { deviceOf, type Engine } from "../engine.js";
import type { Geometry } from "../letterbox.js";
import type { Manifest, PanopticTask } from "../manifest.js";
import type { Route } from "../results.js";
import { decodeRegions } from "../tasks/panoptic.js";
import { GpuContest } from "./gpu-contest.js";
import { canDecide, regionsOnGpu } from "./regions.js";

/** The part of the pixels of a noisy picture that may go to another: those where two are about equally likely. */
const DOUBTFUL = 0.01;

export interface Judge {
  contest: GpuContest | null;
  route: Route;
}

/** Returns the judge of a model that has a session. Never rejects: where the GPU cannot, the CPU does, and says why. */
export async function openJudge(
  { task }: Manifest,
  engine: Engine | null,
  pixels: "auto" | "cpu",
): Promise<Judge> {
  if (engine === null) return onCpu("the model runs on WASM");
  if (task.kind !== "panoptic") return onCpu("only masks of regions become a result on the GPU");
  if (pixels === "cpu") return onCpu('pixels "cpu" was asked for');
  try {
    const device = await deviceOf(engine);
    const contest = await GpuContest.open(device);
    const part = await difference(device, contest, task.scores === null);
    if (!(part <= DOUBTFUL))
      return onCpu(`the GPU gives ${(part * 100).toFixed(0)} % of a picture to another`);
    return { contest, route: { path: "gpu", why: "the GPU gives pixels to the same regions as the CPU" } };
  } catch (error) {
    return onCpu(`the GPU does not do it: ${error}`);
  }
}

/** Returns the outputs that a session leaves on the GPU: reading them from there afterwards costs the same. */
export function gpuOutputs({ task }: Manifest, pixels: "auto" | "cpu"): string[] {
  return pixels === "auto" && task.kind === "panoptic" ? [task.masks] : [];
}

/** Returns the outputs that stay on the GPU in a run. */
export function keptOutputs({ contest }: Judge, { task }: Manifest): string[] {
  return contest !== null && task.kind === "panoptic" && canDecide(task) ? [task.masks] : [];
}

function onCpu(why: string): Judge {
  return { contest: null, route: { path: "cpu", why } };
}

const QUERIES = 6;
const CELLS = { width: 9, height: 7 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const INPUT = { width: 36, height: 32 };

/** Returns which part of a picture goes to another on the GPU, at worst of the modes that the model has. */
async function difference(device: GPUDevice, contest: GpuContest, byClass: boolean): Promise<number> {
  const masks = noise(QUERIES * CELLS.width * CELLS.height, 6);
  const classes = byClass ? QUERIES : 3;
  const scores = byClass ? null : noise(QUERIES * (classes + 1), 4);
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: masks.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, masks);
  const maps = { buffer, cells: CELLS, input: INPUT, raw: true };
  const modes: PanopticTask["mode"][] = byClass ? ["semantic"] : ["panoptic", "semantic"];
  try {
    const parts = modes.map(async (mode) => {
      const task = tried(mode, classes, byClass);
      const want = decodeRegions(task, GEOMETRY, { masks, scores, grid: CELLS, input: INPUT }).map;
      const got = (await regionsOnGpu(contest, task, GEOMETRY, { maps, count: QUERIES, scores })).map;
      return want.reduce((sum, number, at) => sum + (got[at] === number ? 0 : 1), 0) / want.length;
    });
    return Math.max(...(await Promise.all(parts)));
  } finally {
    buffer.destroy();
  }
}

function tried(mode: PanopticTask["mode"], classes: number, byClass: boolean): PanopticTask {
  return {
    kind: "panoptic",
    masks: "masks",
    scores: byClass ? null : "scores",
    classes: Array.from({ length: classes }, (_, index) => `class ${index}`),
    mode,
    fused: [],
    grid: byClass ? [] : [14, 18],
    threshold: 0,
    maskThreshold: 0.1,
    overlap: 0,
  };
}

/** Numbers from -reach to reach, the same every time. */
function noise(count: number, reach: number): Float32Array<ArrayBuffer> {
  let seed = 1;
  return Float32Array.from({ length: count }, () => {
    seed = (seed * 48271) % 2147483647;
    return ((seed % 2001) / 1000 - 1) * reach;
  });
}
