// Opens a session in the worker: one graph of the bundle on one backend.

import type { Backend, SessionInfo } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import type { EnginePage, SharedEngine } from "../engine/shared-engine.js";
import type { EngineBuild, Graph } from "../manifest/manifest.js";
import type { StageManifest } from "../manifest/stages.js";
import type { Postprocessor } from "../postprocess/gpu-postprocess.js";
import type { Preprocessor } from "../preprocess/preprocess.js";
import type { LoadedGlue } from "../stages/glue.js";
import { fetchParts } from "./fetch-parts.js";
import { LoadProgress, type ProgressCallback } from "./load-progress.js";
import { openSession } from "./open-session.js";
import type { Predictor } from "./predictor.js";

/** The options of a session that do not depend on the chosen graph. */
export interface SessionOptions {
  /** The manifest's absolute URL. */
  base: string;
  trace: boolean;
  selfTest: boolean;
  /** Whether a self-test that failed on an earlier visit is run again. */
  retest: boolean;
  cache: boolean;
  processing: "auto" | "cpu";
  /** Why VideoFrames are copied and not imported as external textures; null: the self-check decides. */
  copyFrames: string | null;
  /** Why graph capture is off; null if it is allowed. */
  noCapture: string | null;
  /** Names of the outputs that later stages read. */
  joined: readonly string[];
  addresses: Readonly<Record<string, string>>;
}

export interface SessionRequest extends SessionOptions {
  manifest: StageManifest;
  backend: Backend;
  graph: Graph;
  /** Why this graph was chosen among those for the backend. */
  precisionReason: string;
  build: EngineBuild;
  /** The compiled code of the build, if the page keeps it from an earlier worker; null to download it. */
  compiled: WebAssembly.Module | null;
  /** Whether another stage of the same bundle reports the engine's bytes. */
  sharesEngine: boolean;
}

export interface SessionSetup {
  predictor: Predictor;
  preprocessor: Preprocessor;
  postprocessor: Postprocessor;
  /** Whether frames of a video are sent to the worker as VideoFrame, not as ImageBitmap. */
  takesFrames: boolean;
  /** Whether pictures may move to the worker wrapped in a VideoFrame: the self-check found them exact. */
  takesWrapped: boolean;
  /** Objects that the task loads besides the graph, such as a tokenizer. */
  tools: unknown;
  /** The bundle's glue code, which computes inputs from outputs of earlier stages; null if there is none. */
  glue: LoadedGlue | null;
  info: SessionInfo;
}

/**
 * Sets up a session. `signal` aborts loading and releases what is loaded. `warn` receives warnings, also
 * later ones of work that goes on after the session is open.
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
