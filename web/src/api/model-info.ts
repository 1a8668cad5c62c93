// The types of `model.info()`.

import type { Backend, Precision } from "./load-options.js";
import type { PreprocessRoute, Route } from "./run-result.js";

/** What `model.info()` returns: engine, GPU, precision, timings, and where each step runs. */
export interface ModelInfo {
  engine: { name: string; version: string; build: "jspi" | "asyncify" | "wasm"; threads: number };
  /** The graphics adapter in use, null on WASM. */
  adapter: AdapterInfo | null;
  /** The precision in use, and why. */
  precision: { used: Precision; reason: string };
  /** The self-test that this GPU passed; null on WASM, and where the bundle has no sample for it. */
  selfTest: SelfTest | null;
  /** Milliseconds of each stage of loading. */
  timings: { engine: number; weights: number; session: number; warmup: number; total: number };
  /** Where the last picture was preprocessed; before the first run, where it will be. */
  preprocess: PreprocessRoute;
  /** Where the last result was decoded from the model's outputs; before the first run, where it will be. */
  postprocess: Route;
  /** Where NMS runs if the graph leaves it to the runtime, and why; null if the graph contains it. */
  suppression: Route | null;
  /** Whether graph capture is used (a run's GPU commands are recorded once and replayed), and why. */
  graphCapture: { used: boolean; reason: string };
  /** Why the model stays on its backend, or changed it. */
  choice: BackendChoiceInfo;
  /** Which execution provider runs each node; null unless loaded with `trace`. */
  placement: Placement[] | null;
  /** For a model of several stages: each stage, in order. The fields above are those of the first. */
  stages?: StageInfo[];
  /** The text encoder, once it is loaded. */
  text?: StageInfo;
}

/** @internal The worker's info about a session. */
export type SessionInfo = Omit<ModelInfo, "choice" | "stages" | "text">;

/**
 * Why a backend is used, if it was chosen by speed. `times` are milliseconds of runs; null if the backends
 * were not compared.
 */
export interface BackendChoiceInfo {
  reason: string;
  times: Readonly<Record<Backend, readonly number[]>> | null;
}

/** What `model.info()` returns for a stage. */
export interface StageInfo extends Omit<ModelInfo, "stages" | "text"> {
  name: string;
  backend: Backend;
  /** Why this backend, in one sentence. */
  reason: string;
  /**
   * How many times it has run: the first stage once for each picture, the last once for each prompt or other
   * run on it.
   */
  runs: number;
}

/** The self-test's sample. `fromCache`: it passed on an earlier visit, and was not run again. */
export interface SelfTest {
  sample: string;
  fromCache: boolean;
}

/** The GPU adapter, as the browser names it; fields may be empty. */
export interface AdapterInfo {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
}

/** The nodes of an execution provider. Names are known only if the graph is split between providers. */
export interface Placement {
  provider: string;
  count: number;
  nodes: { op: string; name: string }[];
}
