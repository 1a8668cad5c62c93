// Bringing a model up in the worker: exactly one graph, on its backend.

import type { Backend, SessionInfo } from "../api/types.js";
import type { EnginePage, SharedEngine } from "../engine/shared-engine.js";
import type { EngineBuild, Graph } from "../manifest/manifest.js";
import type { StageManifest } from "../manifest/stages.js";
import type { Postprocessor } from "../postprocess/gpu-postprocess.js";
import type { Preprocessor } from "../preprocess/preprocess.js";
import type { LoadedGlue } from "../stages/glue.js";
import type { Warn } from "../worker/with-limit.js";
import { fetchParts } from "./fetch-parts.js";
import { LoadProgress, type ProgressCallback } from "./load-progress.js";
import { openSession } from "./open-session.js";
import type { Predictor } from "./predictor.js";

export interface SessionRequest {
  manifest: StageManifest;
  /** The manifest's absolute URL. */
  base: string;
  backend: Backend;
  graph: Graph;
  /** Why that graph, of those for the backend. */
  precisionReason: string;
  build: EngineBuild;
  /** The code of that build where the page has it, null where it is downloaded. */
  compiled: WebAssembly.Module | null;
  trace: boolean;
  selfTest: boolean;
  /** Whether a self-test that failed on an earlier visit is run again. */
  retest: boolean;
  cache: boolean;
  processing: "auto" | "cpu";
  /** Why VideoFrames are copied whatever the GPU can, null where that is found out. */
  copyFrames: string | null;
  /** Why the graph is not to be captured, null where it may be. */
  noCapture: string | null;
  /** The outputs that later stages take. */
  joined: readonly string[];
  /** Whether another stage of the same bundle reports the engine's bytes. */
  sharesEngine: boolean;
  addresses: Readonly<Record<string, string>>;
}

export interface SessionSetup {
  predictor: Predictor;
  preprocessor: Preprocessor;
  postprocessor: Postprocessor;
  /** Whether a VideoFrame is better than a bitmap of it. */
  takesFrames: boolean;
  /** Whether pictures may move to the worker wrapped in a VideoFrame: the self-check found them exact. */
  takesWrapped: boolean;
  /** What the task has loaded beside the graph. */
  tools: unknown;
  /** What makes inputs from outputs of earlier stages, null for a stage without. */
  glue: LoadedGlue | null;
  info: SessionInfo;
}

/**
 * `signal` fires when nobody wants the model any more; what it holds by then is released. `warn` hears what did not go
 * as it should, also of work that is still under way when the model is open.
 */
export async function setUpSession(
  request: SessionRequest,
  onProgress: ProgressCallback | null,
  warn: Warn,
  shared: SharedEngine,
  signal: AbortSignal,
  page: EnginePage,
): Promise<SessionSetup> {
  const progress = new LoadProgress(onProgress);
  const parts = await fetchParts(request, progress, warn, shared, signal, page);
  return shared.queue.add(() => openSession(request, parts, progress, warn, shared, signal));
}
