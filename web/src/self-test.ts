// The golden run on the graph that was chosen, once on this machine: whether it computes what it must.

import { disagreement, saysSomething } from "./agreement.js";
import type { AdapterInfo, Precision, SelfTest, Tensors } from "./api.js";
import { completeFeeds } from "./contract.js";
import { engineFiles } from "./engine.js";
import { WebbuildError } from "./errors.js";
import { type GoldenRun, goldenFiles } from "./golden.js";
import { type Capture, captureFailed, tryReplays } from "./graph-capture.js";
import type { EngineBuild, Golden, Graph, Manifest } from "./manifest.js";
import { recall, remember, verdictKey } from "./verdicts.js";

/** A test, and what is known of it from an earlier visit. */
export interface KnownTest {
  golden: Golden;
  precision: Precision;
  key: string;
  passed: boolean;
}

/** Returns the test of a graph on an adapter, null for a bundle that has none. Throws where it is known to fail. */
export async function knownTest(
  { manifest, base, build }: { manifest: Manifest; base: string; build: EngineBuild },
  { file, weights, precision }: Graph,
  adapter: AdapterInfo,
): Promise<KnownTest | null> {
  const { golden, files } = manifest;
  if (golden === null) return null;
  const used = [file, ...weights, ...engineFiles(build), ...goldenFiles(golden)];
  const hashes = used.map((path) => files.find((each) => each.path === path)?.sha256);
  const key = await verdictKey(base, [adapter, navigator.userAgent, hashes]);
  const verdict = await recall(key);
  if (verdict !== null && verdict.why !== null) throw failed(verdict.why);
  return { golden, precision, key, passed: verdict !== null };
}

/** Runs the test and keeps its verdict, and that on replays where they are untried. Throws where it fails. */
export async function runTest(
  { golden, precision, key }: KnownTest,
  { task, inputs, trial }: Manifest,
  { feeds, wanted }: GoldenRun,
  run: (feeds: Tensors) => Promise<Tensors>,
  capture: Capture,
): Promise<SelfTest | null> {
  const given = completeFeeds(inputs, feeds);
  const got = await run(given);
  if (!saysSomething(task, wanted)) {
    if (capture.used)
      throw captureFailed("the golden run answers nothing that its replays could be compared with");
    return null;
  }
  const difference = (each: Tensors): string | null =>
    disagreement(task, wanted, each, precision, trial.confidence);
  const why = difference(got);
  await remember(key, why);
  if (why !== null) throw failed(why);
  if (capture.untried) await tryReplays(capture, given, run, difference);
  return { sample: golden.sample, before: false };
}

function failed(why: string): WebbuildError {
  const fix = 'load with { backend: "wasm" }, and report the name of the adapter with this message';
  return new WebbuildError("self-test-failed", `this GPU does not compute what the model must: ${why}`, fix);
}
