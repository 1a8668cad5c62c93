// Recovery from an error of a run: the same graph in a new engine, or the next candidate.

import type { ErrorCode, WebbuildError } from "../api/errors.js";
import { captureFailureReason } from "../session/graph-capture.js";
import { type FallbackChain, nextInChain } from "./candidates.js";
import { type EngineCode, type LoadRequest, withoutExternalTextures } from "./load-request.js";
import type { LoadedModel } from "./loaded-model.js";

/** The engine is broken, the graph is not: load the same graph in a new engine. */
const RESTART_CODES: ReadonlySet<ErrorCode> = new Set([
  "device-lost",
  "engine-failed",
  "out-of-memory",
  "worker-failed",
]);
/** The graph fails on this GPU and would fail again: load the next candidate. */
const NEXT_CANDIDATE_CODES: ReadonlySet<ErrorCode> = new Set(["gpu-error", "run-failed"]);

/** How to load the graph again: with this request, on the candidates of this chain. */
export interface Recovery {
  request: LoadRequest;
  /** The compiled code for the new worker, null if it compiles its own. */
  engineCode: EngineCode | null;
  /** Returns the candidates to try. Throws the error if there is none. */
  chain(): FallbackChain;
}

/**
 * Returns how to load the graph again after an error; null if the error does not need it:
 *
 * | error | candidate | change |
 * |---|---|---|
 * | a run of a captured graph fails | the same | no graph capture |
 * | a kernel fails (NEXT_CANDIDATE_CODES) | the next | |
 * | the engine is broken (RESTART_CODES) | the same | after a lost device: no external textures |
 *
 * The new engine gets the compiled code of the old one, unless that code may be the cause.
 */
export function planRecovery(
  request: LoadRequest,
  loaded: LoadedModel,
  error: WebbuildError,
): Recovery | null {
  const { candidate, remaining, info, engineCode } = loaded;
  const candidates = [candidate, ...remaining];
  const noCapture = captureFailureReason(info, error);
  if (noCapture !== null)
    return {
      request: { ...request, noCapture },
      engineCode,
      chain: () => ({ candidates, warnings: [] }),
    };
  if (remaining.length > 0 && NEXT_CANDIDATE_CODES.has(error.code))
    return { request, engineCode, chain: () => nextInChain(candidate, remaining, error) };
  if (!RESTART_CODES.has(error.code)) return null;
  const message = `${error.message}; the engine was restarted`;
  const warnings = [{ code: error.code, message, fix: error.fix }];
  return {
    request: error.code === "device-lost" ? withoutExternalTextures(request) : request,
    engineCode: error.code === "engine-failed" ? null : engineCode,
    chain: () => ({ candidates, warnings }),
  };
}
