// Options of load(), and what it reports on the way.

import type { Graph } from "../manifest/manifest.js";
import type { Model } from "./model.js";
import type { SizeOption } from "./picture.js";

/** Where a graph runs. */
export type Backend = "webgpu" | "wasm";

/** "fp32" is as the model was exported; "mixed" is half precision in part. */
export type Precision = Graph["precision"];

/** An option of all stages, or of each by its name; a stage that is left out has "auto". */
export type StageOption<T extends string> = T | Readonly<Record<string, T>>;

/** Options of `load()`. All may be left out. */
export interface LoadOptions {
  /**
   * Only "auto" may choose: WebGPU first, WASM where that cannot work or is faster (see `prefer`). A named backend never falls back. A model of
   * several stages may have a backend for each: `{ encoder: "webgpu", decoder: "wasm" }`.
   */
  backend?: StageOption<"auto" | Backend> | undefined;
  /**
   * What "auto" goes by where both backends are right. "latency", the default, is the time of a run; "battery" is the time
   * of all threads together. Both are measured here, once, when the model has run and nobody waits.
   */
  prefer?: "latency" | "battery" | undefined;
  /**
   * Of a bundle that holds the model in several precisions, "auto" takes the best that the adapter can run and that is
   * right there. A named one never becomes another: "fp32" is the model as it was exported.
   */
  precision?: StageOption<"auto" | Precision> | undefined;
  /** Of a bundle for several sizes of picture, the only one that the model is to run at. Default: all of them. */
  size?: SizeOption | undefined;
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Run the bundle's known sample on a GPU that it never ran on. On by default; "webgpu" then fails where it must. */
  selfTest?: boolean | undefined;
  /** Keep the model and the engine for the next visit. On by default. */
  cache?: boolean | undefined;
  /**
   * Let the pages in the bundle's folder open without a network, by a service worker. Off by default. Elsewhere, the
   * page's own service worker has to keep the page, the loader and the runtime; the model and the engine are kept anyhow.
   * A string is the address of a service worker that lies elsewhere than beside the manifest.
   */
  offline?: boolean | string | undefined;
  /** Where the bundle's files lie, by their paths in it, when a bundler has moved them: the package's entry knows. */
  addresses?: Readonly<Record<string, string>> | undefined;
  /** Starts runtime/worker.js, when a bundler has moved it, or to start it from the page's own origin. */
  worker?: (() => Worker) | undefined;
  /** Where pictures become tensors, masks regions, and depth maps colours: "auto" is the GPU wherever the result is the same. */
  processing?: "auto" | "cpu" | undefined;
  /** Record which provider runs which node (`info().placement`). Slower to load. */
  trace?: boolean | undefined;
}

/** What the loader of a bundle exports, whichever model it is of; each bundle's own types say more. */
export interface BundleModule {
  load(options?: LoadOptions): Promise<Model>;
}

/**
 * Bytes as they are stored in the stages engine and weights; 0 or 1 of 1 in session and warmup. Weights come beside the
 * engine: their stage begins with those that are there.
 */
export interface Progress {
  stage: "engine" | "weights" | "session" | "warmup";
  /** Of a model of several stages, the one that this is about: they load side by side. */
  modelStage?: string;
  loaded: number;
  total: number;
  /** The bytes of all stages: those that are there, from this visit or an earlier one, and those that are needed. */
  bytesDone: number;
  bytesTotal: number;
}
