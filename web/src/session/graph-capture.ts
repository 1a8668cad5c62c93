// Whether a run's commands are recorded once and replayed: where the engine was measured to do it right, and does so here.

import { type ErrorCode, WebbuildError } from "../api/errors.js";
import type { SessionInfo, Tensors } from "../api/types.js";
import type { EngineBuild, Graph } from "../manifest/manifest.js";
import { readSelfTest, writeSelfTest } from "../self-test/self-test-cache.js";
import { TrialCount } from "../storage/trial-count.js";
import type { Warn } from "../worker/with-limit.js";

/** `python -m benchmarks.graph_capture`, on two adapters: right where the engine owns the buffers of inputs and outputs. */
const MEASURED = { version: "1.30.0", builds: ["jspi", "asyncify"] };

/** Failures that may come of capturing, and not come without. */
const CAPTURE_FAILURES: ReadonlySet<ErrorCode> = new Set([
  "engine-failed",
  "gpu-error",
  "no-session",
  "out-of-memory",
  "run-failed",
]);

/** What is known before there is a session. */
export interface CapturePlan {
  /** Whether the session is made so, and why not; why it is, where that is known. */
  used: boolean;
  reason: string;
  /** Whether its replays have to be seen right first. */
  unverified: boolean;
  /** What the verdict is kept under. */
  key: string;
  trial: TrialCount;
  warn: Warn;
}

interface CaptureRequest {
  version: string;
  build: EngineBuild["build"];
  graph: Graph;
  /** Whether the adapter computes on the CPU: giving commands is next to nothing there, seeing replays takes seconds. */
  software: boolean;
  /** Whether the model has state. */
  stateful: boolean;
  /** Whether later stages take outputs of the graph. */
  joined: boolean;
  /** What names the self-test of the graph on this adapter, null where it has none. */
  test: string | null;
  /** Why the page wants none: it failed, which is remembered. */
  refused: string | null;
  warn: Warn;
}

/** Returns whether the graph is to be captured, as far as that is known without a trial. */
export async function planCapture({
  version,
  build,
  graph,
  software,
  stateful,
  joined,
  test,
  refused,
  warn,
}: CaptureRequest): Promise<CapturePlan> {
  const key = `${test}-capture`;
  const trial = new TrialCount(key, warn);
  const no = (reason: string): CapturePlan => ({ used: false, reason, unverified: false, key, trial, warn });
  if (graph.target === "wasm") return no("the model runs on WASM");
  if (version !== MEASURED.version || !MEASURED.builds.includes(build))
    return no(`onnxruntime-web ${version} was not measured, ${MEASURED.version} was`);
  if (!graph.allOnGpu) return no("the manifest does not say that every node is on the GPU");
  if (stateful)
    return no(
      "the model has state: a run reads the buffers that the one before wrote, and a captured graph has one set of buffers",
    );
  if (joined)
    return no(
      "later stages keep its outputs: a captured graph writes those of every run into the same buffers",
    );
  if (software) return no("the adapter is software, which replays would not make faster");
  if (test === null) return no("no self-test could see its replays");
  if (refused !== null) await writeSelfTest(key, refused, warn);
  const verdict = await readSelfTest(key, warn);
  const reason = refused ?? (verdict === null ? await trial.refusal() : verdict.reason);
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

/** Does work with a session that captures. What fails of it is "capture-failed". */
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

/** Sees replays of a run that was right: on the same inputs, on others, and on the same again. Throws "capture-failed". */
export async function verifyReplays(
  { key, trial, warn }: CapturePlan,
  feeds: Tensors,
  run: (feeds: Tensors) => Promise<Tensors>,
  difference: (got: Tensors) => string | null,
): Promise<void> {
  const again = await run(feeds);
  const others = await run(reversed(feeds));
  const back = await run(feeds);
  const reason =
    difference(again) ??
    difference(back) ??
    (equalTensors(again, others) ? "the inputs change nothing" : null);
  if (reason !== null) throw captureFailed(`a replay in the self-test was wrong: ${reason}`);
  await writeSelfTest(key, null, warn);
  await trial.end();
}

/** Why a model that was captured is not any more. */
export function captureFailureReason(info: SessionInfo, { code, message }: WebbuildError): string | null {
  return info.graphCapture.used && CAPTURE_FAILURES.has(code) ? `a session with it failed: ${message}` : null;
}

export function captureFailed(reason: string, cause?: unknown): WebbuildError {
  return new WebbuildError("capture-failed", reason, "nothing to do: the model runs without graph capture", {
    cause,
  });
}

/** The same elements from the last to the first: other inputs, of which none is out of its range. */
function reversed(feeds: Tensors): Tensors {
  const turned = Object.entries(feeds).map(([name, tensor]) => [
    name,
    { ...tensor, data: tensor.data.slice().reverse() },
  ]);
  return Object.fromEntries(turned);
}

function equalTensors(first: Tensors, second: Tensors): boolean {
  return Object.entries(first).every(([name, { data }]) => {
    const other = second[name]?.data;
    return other !== undefined && data.every((value, at) => value === other[at]);
  });
}
