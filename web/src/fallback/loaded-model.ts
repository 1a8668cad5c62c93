// A graph that is loaded in a worker, on one candidate of the fallback chain.

import type { SessionInfo, Warning } from "../api/types.js";
import type { Connection } from "../worker/connection.js";
import type { Candidate } from "./candidates.js";
import type { EngineCode } from "./load-request.js";

/** A graph that is loaded in a worker. */
export interface WorkerModel {
  candidate: Candidate;
  warnings: Warning[];
  info: SessionInfo;
  /** Whether frames of a video are sent to the worker as VideoFrame, not as ImageBitmap. */
  takesFrames: boolean;
  /** Whether pictures may move to the worker wrapped in a VideoFrame: the self-check found them exact. */
  takesWrapped: boolean;
  /** The model's number in the worker. */
  modelId: number;
  connection: Connection;
  engineCode: EngineCode;
}

/** A loaded graph, and the candidates to try when it fails. */
export interface LoadedModel extends WorkerModel {
  remaining: readonly Candidate[];
}
