// What to load: a bundle, and the options of the caller.

import type { Backend, Precision } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import type { Manifest } from "../manifest/manifest.js";
import type { SessionOptions } from "../session/session-setup.js";

/** What to load, on any candidate: the bundle, and the caller's options. */
export interface LoadRequest extends SessionOptions {
  manifest: Manifest;
  backend: "auto" | Backend;
  precision: "auto" | Precision;
  /**
   * The name of a worker that only requests with the same name share. Null: any worker of the same runtime;
   * with `trace`, a new one.
   */
  ownWorker: string | null;
  /** For a later stage, the first stage's backend: a later stage uses the same build of the engine, to share its worker. */
  firstStageBackend: Backend | null;
  worker: (() => Worker) | null;
  /** Receives the worker's warnings, during loading and afterwards. */
  warn: Warn;
  /** The compiled engine of the worker that the new one replaces, null if there was none. */
  engineCode: EngineCode | null;
}

/** The compiled code of an engine. A page that keeps it restarts the engine faster. */
export interface EngineCode {
  /** The path of the build's .wasm file. */
  wasm: string;
  /** Null until a worker has compiled it. */
  module: WebAssembly.Module | null;
}

/** After a lost device, VideoFrames are no longer imported as external textures: they may have caused the loss. */
export function withoutExternalTextures(request: LoadRequest): LoadRequest {
  return { ...request, copyFrames: "the GPU was lost before" };
}
