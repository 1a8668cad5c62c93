// What one process measures, as Python writes it.

import type { TensorData, Tensors } from "../../../web/src/api/types.js";
import type { Graph, Manifest } from "../../../web/src/manifest/manifest.js";
import { parseRawTensor } from "../../../web/src/tensors/raw-tensor.js";
import type { FilledTensor } from "./random-weights.js";

/** Reads a file of the carried folder. */
export type ReadFile = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

interface TensorFile {
  name: string;
  dtype: TensorData["type"];
  shape: number[];
  file: string;
}

/** A graph of a bundle, its weights, and a run of it with known answers. */
export interface ModelCase {
  graph: Graph;
  model: string;
  weights: { path: string; file: string; filled: FilledTensor[] }[];
  inputs: Manifest["inputs"];
  task: Manifest["task"];
  confidence: number;
  feeds: TensorFile[];
  expected: TensorFile[];
}

interface Counts {
  /** Runs that count, after those that warm up, and the milliseconds after which no other begins. */
  runs: number;
  warming: number;
  limit: number;
}

export type Job = Counts &
  (
    | { kind: "model"; case: ModelCase; capture: boolean; suppression: "graph" | "shader" | "cpu" }
    | { kind: "suppression"; anchors: number; columns: number; on: "shader" | "cpu" }
    | { kind: "frame"; case: ModelCase; width: number; height: number; on: "cpu" | "texture" | "external" }
  );

/** What was measured: milliseconds, kernels of a run, and how the answer differs, null where it does not. */
export interface Measured {
  session?: number;
  first?: number;
  times: number[];
  kernels: number;
  difference: string | null;
}

export async function readTensors(files: readonly TensorFile[], read: ReadFile): Promise<Tensors> {
  const entries = files.map(async (spec): Promise<[string, TensorData]> => {
    const { buffer } = await read(spec.file);
    return [spec.name, parseRawTensor(spec, spec.file, buffer)];
  });
  return Object.fromEntries(await Promise.all(entries));
}
