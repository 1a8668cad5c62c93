// Graph capture: the engine records the GPU commands of the first run, and later runs replay them. Used only
// if the engine's version was measured to replay correctly, and the self-test confirms it on this adapter.

import { type ErrorCode, WebbuildError } from "../api/errors.js";
import type { SessionInfo, Tensors } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import type { EngineBuild, Graph } from "../manifest/manifest.js";
import { readSelfTest, writeSelfTest } from "../self-test/self-test-cache.js";
import { TrialCount } from "../storage/trial-count.js";

/**
 * Measured with `python -m benchmarks.graph_capture` on two adapters: correct if the engine owns its input
 * and output buffers.
 */
const MEASURED = { version: "1.30.0", builds: ["jspi", "asyncify"] };

/** Errors that graph capture may cause: the session is created again without it. */
const CAPTURE_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "engine-failed",
  "gpu-error",
  "no-session",
  "out-of-memory",
  "run-failed",
]);

/** The decision on graph capture, made before the session is created. */
export interface CapturePlan {
  used: boolean;
  /** Why graph capture is used, or why not. */
  reason: string;
  /** Whether the self-test still has to verify replays. */
  unverified: boolean;
  /** The key of the stored verdict on replays. */
  key: string;
  trial: TrialCount;
  warn: Warn;
}

interface CaptureRequest {
  version: string;
  build: EngineBuild["build"];
  graph: Graph;
  /** Whether the adapter is software, such as SwiftShader: replays save nothing there, and verifying them takes seconds. */
  software: boolean;
  /** Whether the model has state. */
  stateful: boolean;
  /** Whether later stages take outputs of the graph. */
  hasLaterStages: boolean;
  /** The key of the graph's self-test on this adapter, null if it has none. */
  selfTestKey: string | null;
  /** Why graph capture is off: it failed on this page. The reason is stored. Null if it is allowed. */
  noCapture: string | null;
  warn: Warn;
}

/** Decides whether to capture the graph, without running it. */
export async function planCapture(request: CaptureRequest): Promise<CapturePlan> {
  const { selfTestKey, noCapture, warn } = request;
  const key = `${selfTestKey}-capture`;
  const trial = new TrialCount(key, warn);
  const no = (reason: string): CapturePlan => ({ used: false, reason, unverified: false, key, trial, warn });
  const unsupported = unsupportedReason(request);
  if (unsupported !== null) return no(unsupported);
  if (noCapture !== null) await writeSelfTest(key, noCapture, warn);
  const verdict = await readSelfTest(key, warn);
  const reason = noCapture ?? (verdict === null ? await trial.refusal() : verdict.reason);
  if (reason !== null) return no(reason);
  return {
    used: true,
    reason: "its replays were right in the self-test",
    unverified: verdict === null,
    key,
    trial,
    warn,
  };
}

/** Returns why the graph cannot be captured, or is not worth it; null if it may be captured. */
function unsupportedReason({
  version,
  build,
  graph,
  software,
  stateful,
  hasLaterStages,
  selfTestKey,
}: CaptureRequest): string | null {
  if (graph.target === "wasm") return "the model runs on WASM";
  if (version !== MEASURED.version || !MEASURED.builds.includes(build))
    return `onnxruntime-web ${version} was not measured, ${MEASURED.version} was`;
  if (!graph.allOnGpu) return "the manifest does not say that every node is on the GPU";
  if (stateful)
    return "the model has state: a run reads the buffers that the one before wrote, and a captured graph has one set of buffers";
  if (hasLaterStages)
    return "later stages keep its outputs: a captured graph writes those of every run into the same buffers";
  if (software) return "the adapter is software, which replays would not make faster";
  if (selfTestKey === null) return "no self-test can verify its replays";
  return null;
}

/** Does work with a captured session. Errors that graph capture may cause become "capture-failed". */
export async function guardCapture<T>(
  { used, unverified, trial }: CapturePlan,
  work: () => Promise<T>,
): Promise<T> {
  if (!used) return work();
  if (unverified) await trial.begin();
  try {
    return await work();
  } catch (error) {
    await trial.end();
    if (error instanceof WebbuildError && CAPTURE_FAILURES.has(error.code))
      throw captureFailed(`a session with it failed: ${error.message}`, error);
    throw error;
  }
}

/**
 * Verifies replays after a run with correct outputs: on the same inputs, on others, and on the first ones
 * again. Throws "capture-failed" if one is wrong.
 */
export async function verifyReplays(
  { key, trial, warn }: CapturePlan,
  feeds: Tensors,
  run: (feeds: Tensors) => Promise<Tensors>,
  difference: (got: Tensors) => string | null,
): Promise<void> {
  const same = await run(feeds);
  const other = await run(reversed(feeds));
  const sameAgain = await run(feeds);
  const reason =
    difference(same) ??
    difference(sameAgain) ??
    (equalTensors(same, other) ? "the inputs change nothing" : null);
  if (reason !== null) throw captureFailed(`a replay in the self-test was wrong: ${reason}`);
  await writeSelfTest(key, null, warn);
  await trial.end();
}

/** Returns why a graph is loaded again without graph capture, null if the error has another cause. */
export function captureFailureReason(info: SessionInfo, { code, message }: WebbuildError): string | null {
  return info.graphCapture.used && CAPTURE_FAILURES.has(code) ? `a session with it failed: ${message}` : null;
}

export function captureFailed(reason: string, cause?: unknown): WebbuildError {
  return new WebbuildError("capture-failed", reason, "nothing to do: the model runs without graph capture", {
    cause,
  });
}

/** Reverses the elements: other inputs, with values in the same ranges. */
function reversed(feeds: Tensors): Tensors {
  const entries = Object.entries(feeds).map(([name, tensor]) => [
    name,
    { ...tensor, data: tensor.data.slice().reverse() },
  ]);
  return Object.fromEntries(entries);
}

function equalTensors(first: Tensors, second: Tensors): boolean {
  return Object.entries(first).every(([name, { data }]) => {
    const other = second[name]?.data;
    return other !== undefined && data.every((value, at) => value === other[at]);
  });
}
