// The golden run on the graph that was chosen, once on this machine: whether it computes what it must.

import { WebbuildError } from "../api/errors.js";
import type { AdapterInfo, Precision, SelfTest, Tensors } from "../api/types.js";
import { engineFiles } from "../engine/engine.js";
import { completeFeeds } from "../inputs/validate-inputs.js";
import type { EngineBuild, Golden, Graph, Manifest } from "../manifest/manifest.js";
import { type CapturePlan, captureFailed, verifyReplays } from "../session/graph-capture.js";
import type { Warn } from "../worker/with-limit.js";
import { type GoldenRun, goldenFiles } from "./golden.js";
import { goldenDifference, hasSignal } from "./golden-compare.js";
import { readSelfTest, selfTestKey, writeSelfTest } from "./self-test-cache.js";

/** A test, and what is known of it from an earlier visit. */
export interface SelfTestPlan {
  golden: Golden;
  precision: Precision;
  key: string;
  passed: boolean;
  warn: Warn;
}

/** Returns the test of a graph on an adapter, null for a bundle that has none. Throws where it is known to fail. */
export async function planSelfTest(
  { manifest, base, build }: { manifest: Manifest; base: string; build: EngineBuild },
  { file, weights, precision }: Graph,
  adapter: AdapterInfo,
  warn: Warn,
): Promise<SelfTestPlan | null> {
  const { golden, files } = manifest;
  if (golden === null) return null;
  const used = [file, ...weights, ...engineFiles(build), ...goldenFiles(golden)];
  const hashes = used.map((path) => files.find((each) => each.path === path)?.sha256);
  const key = await selfTestKey(base, [adapter, navigator.userAgent, hashes]);
  const verdict = await readSelfTest(key, warn);
  if (verdict !== null && verdict.reason !== null) throw selfTestFailed(verdict.reason);
  return { golden, precision, key, passed: verdict !== null, warn };
}

/** Runs the test and keeps its verdict, and that on replays where they are untried. Throws where it fails. */
export async function runSelfTest(
  { golden, precision, key, warn }: SelfTestPlan,
  { task, inputs, evaluationThresholds }: Manifest,
  { feeds, expected }: GoldenRun,
  run: (feeds: Tensors) => Promise<Tensors>,
  capture: CapturePlan,
): Promise<SelfTest | null> {
  const complete = completeFeeds(inputs, feeds);
  const outputs = await run(complete);
  if (!hasSignal(task, expected)) {
    if (capture.used)
      throw captureFailed("the golden run answers nothing that its replays could be compared with");
    return null;
  }
  const difference = (each: Tensors): string | null =>
    goldenDifference(task, expected, each, precision, evaluationThresholds.confidence);
  const reason = difference(outputs);
  await writeSelfTest(key, reason, warn);
  if (reason !== null) throw selfTestFailed(reason);
  if (capture.unverified) await verifyReplays(capture, complete, run, difference);
  return { sample: golden.sample, fromCache: false };
}

function selfTestFailed(reason: string): WebbuildError {
  const fix = 'load with { backend: "wasm" }, and report the name of the adapter with this message';
  return new WebbuildError(
    "self-test-failed",
    `this GPU computes wrong results for the model: ${reason}`,
    fix,
  );
}
