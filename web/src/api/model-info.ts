// What `model.info()` says about a loaded model.

import type { Backend, Precision } from "./load-options.js";
import type { PreprocessRoute, Route } from "./run-result.js";

/** What `model.info()` says about a loaded model. */
export interface ModelInfo {
  engine: { name: string; version: string; build: "jspi" | "asyncify" | "wasm"; threads: number };
  /** The graphics adapter in use, null on WASM. */
  adapter: AdapterInfo | null;
  /** What the model computes in, and why. */
  precision: { used: Precision; reason: string };
  /** The run with known answers that this GPU passed; null on WASM, and where there was none to compare. */
  selfTest: SelfTest | null;
  /** Milliseconds of each stage of loading. */
  timings: { engine: number; weights: number; session: number; warmup: number; total: number };
  /** Where the last picture was made into a tensor, before the first run where pictures are going to be. */
  preprocess: PreprocessRoute;
  /** Where the last result was made of the model's outputs, or the first is going to be. */
  postprocess: Route;
  /** Where boxes are suppressed that the graph leaves to the runtime, and why; null where the graph does it itself. */
  suppression: Route | null;
  /** Whether the commands of a run are recorded once and replayed, and why. */
  graphCapture: { used: boolean; reason: string };
  /** Why the model stays on its backend, or changed it. */
  choice: BackendChoiceInfo;
  /** Which provider runs which nodes; null unless loaded with `trace`. */
  placement: Placement[] | null;
  /** Of a model of several stages, each one in their order. What is said above is said of the first. */
  stages?: StageInfo[];
  /** The text encoder, where it is loaded. */
  text?: StageInfo;
}

/** @internal What the worker says of a session. */
export type SessionInfo = Omit<ModelInfo, "choice" | "stages" | "text">;

/** Why a backend is used, as far as it was chosen by speed. `times` are milliseconds of runs, null where none were compared. */
export interface BackendChoiceInfo {
  reason: string;
  times: Readonly<Record<Backend, readonly number[]>> | null;
}

/** What `model.info()` says about a stage. */
export interface StageInfo extends Omit<ModelInfo, "stages" | "text"> {
  name: string;
  backend: Backend;
  /** Why this backend, in one sentence. */
  reason: string;
  /** How often it ran so far: the first once for each picture, the last at each question about it. */
  runs: number;
}

/** `fromCache`: it was passed on an earlier visit, and not run again. */
export interface SelfTest {
  sample: string;
  fromCache: boolean;
}

/** The graphics adapter, as the browser names it; fields may be empty. */
export interface AdapterInfo {
  vendor: string;
  architecture: string;
  device: string;
  description: string;
}

/** The nodes of a provider. Their names are known only where the graph is split between providers. */
export interface Placement {
  provider: string;
  count: number;
  nodes: { op: string; name: string }[];
}
