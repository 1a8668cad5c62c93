// The options of load(), and its progress events.

import type { Graph } from "../manifest/manifest.js";
import type { Model } from "./model.js";
import type { SizeOption } from "./picture.js";

/** The execution provider of a graph. */
export type Backend = "webgpu" | "wasm";

/** "fp32" is the model as exported; "mixed" is float16 for part of the graph. */
export type Precision = Graph["precision"];

/** One value for all stages, or one for each stage by its name; a stage that is left out has "auto". */
export type StageOption<T extends string> = T | Readonly<Record<string, T>>;

/** Options of `load()`. All are optional. */
export interface LoadOptions {
  /**
   * "auto" tries WebGPU first, and uses WASM where WebGPU does not work or is slower (see `prefer`). A named
   * backend never falls back. A model of several stages may have a backend for each: `{ encoder: "webgpu",
   * decoder: "wasm" }`.
   */
  backend?: StageOption<"auto" | Backend> | undefined;
  /**
   * What "auto" minimizes where both backends give correct results. "latency", the default, is the time of a
   * run; "battery" is the CPU time of all threads together. Both are measured once on this machine, after the
   * model has run and while no run is waiting.
   */
  prefer?: "latency" | "battery" | undefined;
  /**
   * For a bundle that has the model in several precisions: "auto" takes the best one that the adapter can run
   * and that gives correct results on it. A named precision never falls back. "fp32" is the model as
   * exported.
   */
  precision?: StageOption<"auto" | Precision> | undefined;
  /** For a bundle that has several picture sizes: the only size to run at. Default: all of them. */
  size?: SizeOption | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /**
   * On a GPU that has not run this bundle before, run its self-test sample. Default: true. With "webgpu" a
   * failed self-test rejects.
   */
  selfTest?: boolean | undefined;
  /** Store the model and the engine for the next visit. Default: true. */
  cache?: boolean | undefined;
  /**
   * Let the pages in the bundle's folder open offline, by a service worker. Default: false. Pages in other
   * folders need a service worker of their own that stores the page, the loader and the runtime; the model
   * and the engine are stored in any case. A string is the URL of a service worker that is not next to the
   * manifest.
   */
  offline?: boolean | string | undefined;
  /**
   * The URLs of the bundle's files, by their paths in the bundle, if a bundler has moved them. The package's
   * entry sets this.
   */
  addresses?: Readonly<Record<string, string>> | undefined;
  /** Starts runtime/worker.js, if a bundler has moved it, or to start it from the page's own origin. */
  worker?: (() => Worker) | undefined;
  /**
   * Where pictures are preprocessed and masks and depth maps made. "auto": on the GPU wherever the result is
   * the same.
   */
  processing?: "auto" | "cpu" | undefined;
  /** Record which execution provider runs each node (`info().placement`). Loading is slower. */
  trace?: boolean | undefined;
}

/** The exports of any bundle's loader; each bundle's own types are more specific. */
export interface BundleModule {
  load(options?: LoadOptions): Promise<Model>;
}

/**
 * Progress of a load. In the stages "engine" and "weights" `loaded` and `total` are bytes as stored; in
 * "session" and "warmup" they are 0 or 1, and 1. Weights download at the same time as the engine: their first
 * event counts the bytes that are already there.
 */
export interface Progress {
  stage: "engine" | "weights" | "session" | "warmup";
  /** The name of the stage, for a model of several stages. Stages load at the same time. */
  modelStage?: string;
  loaded: number;
  total: number;
  /** The bytes of all stages: those already there, from this or an earlier visit, and those needed. */
  bytesDone: number;
  bytesTotal: number;
}
