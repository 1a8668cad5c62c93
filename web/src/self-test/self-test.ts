// The self-test: the golden run on the chosen graph, once on each machine.

import { WebbuildError } from "../api/errors.js";
import type { AdapterInfo, Precision, SelfTest, Tensors } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import { engineFiles } from "../engine/engine.js";
import { completeFeeds } from "../inputs/validate-inputs.js";
import type { EngineBuild, Golden, Graph, Manifest } from "../manifest/manifest.js";
import { type CapturePlan, captureFailed, verifyReplays } from "../session/graph-capture.js";
import { findingKey } from "../storage/findings.js";
import { type AnyTensors, releaseTensors } from "../tensors/gpu-tensor.js";
import { type GoldenRun, goldenFiles } from "./golden.js";
import { goldenDifference, hasSignal } from "./golden-compare.js";
import { runSequence, type StatefulRunner } from "./golden-sequence.js";
import { readSelfTest, retestTime, writeSelfTest } from "./self-test-cache.js";

/** A test, and its verdict from an earlier visit. */
interface SelfTestPlan {
  golden: Golden;
  precision: Precision;
  key: string;
  passed: boolean;
  warn: Warn;
}

/** The part of a load request that a self-test needs. `retest` repeats a test that failed before. */
interface Tested {
  manifest: Manifest;
  base: string;
  build: EngineBuild;
  retest: boolean;
}

/** Returns the test of a graph on an adapter, null for a bundle without one. Throws if it failed before. */
export async function planSelfTest(
  { manifest, base, build, retest }: Tested,
  { file, weights, precision }: Graph,
  adapter: AdapterInfo,
  warn: Warn,
): Promise<SelfTestPlan | null> {
  const { golden, files } = manifest;
  if (golden === null) return null;
  const used = [file, ...weights, ...engineFiles(build), ...goldenFiles(golden)];
  const hashes = used.map((path) => files.find((each) => each.path === path)?.sha256);
  const key = await findingKey(base, [adapter, navigator.userAgent, hashes]);
  const verdict = await readSelfTest(key, warn);
  if (verdict === null || verdict.reason === null)
    return { golden, precision, key, passed: verdict !== null, warn };
  if (!retest) throw rememberedFailure(verdict.reason, verdict.at, precision);
  return { golden, precision, key, passed: false, warn };
}

/** Runs the test and stores its verdict, and that on replays if they are unverified. Throws if it fails. */
export async function runSelfTest(
  { golden, precision, key, warn }: SelfTestPlan,
  { task, inputs, evaluationThresholds }: Manifest,
  { feeds, expected, sequence }: GoldenRun,
  runner: StatefulRunner,
  capture: CapturePlan,
): Promise<SelfTest | null> {
  const complete = completeFeeds(inputs, feeds);
  const alone = (each: AnyTensors): Promise<Tensors> => withoutStates(runner, each);
  const outputs = await alone(complete);
  if (!hasSignal(task, expected)) {
    if (capture.used) throw captureFailed("the golden run has no signal to compare its replays with");
    return null;
  }
  const differing = (want: Tensors, got: Tensors): string | null =>
    goldenDifference(task, want, got, precision, evaluationThresholds.confidence, golden.tolerance);
  let reason = differing(expected, outputs);
  if (reason === null && sequence !== null) {
    const last = await runSequence(inputs, complete, sequence.steps, runner);
    reason = differing(sequence.expected, last);
    if (reason !== null) reason = `in run ${sequence.steps} of a sequence, ${reason}`;
  }
  await writeSelfTest(key, reason, warn);
  if (reason !== null) throw selfTestFailed(reason);
  if (capture.unverified) await verifyReplays(capture, complete, alone, (got) => differing(expected, got));
  return { sample: golden.sample, fromCache: false };
}

/** Returns the outputs of a run, and releases its states. */
export async function withoutStates({ run }: StatefulRunner, feeds: AnyTensors): Promise<Tensors> {
  const { outputs, states } = await run(feeds);
  releaseTensors(states);
  return outputs;
}

function selfTestFailed(reason: string, fix = ""): WebbuildError {
  const message = `this GPU computes wrong results for the model: ${reason}`;
  const last = 'load with { backend: "wasm" }, and report the name of the adapter with this message';
  return new WebbuildError("self-test-failed", message, `${fix}${last}`);
}

/** `at` is the time of the failed test, in milliseconds since 1970. */
function rememberedFailure(reason: string, at: number, precision: Precision): WebbuildError {
  const [found, again] = [at, retestTime(at)].map((time) => new Date(time).toISOString().slice(0, 10));
  const when = `found on ${found}; the next test is on ${again}`;
  const named = precision === "fp32" ? "" : `, precision: "${precision}"`;
  const fix = `to test it now, load with { backend: "webgpu"${named} }; else `;
  return selfTestFailed(`${reason} (${when})`, fix);
}
