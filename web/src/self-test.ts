// The golden run on the graph that was chosen, once on this machine: whether it computes what it must.

import { disagreement, saysSomething } from "./agreement.js";
import type { AdapterInfo, Precision, SelfTest, Tensors } from "./api.js";
import { completeFeeds } from "./contract.js";
import { engineFiles } from "./engine.js";
import { WebbuildError } from "./errors.js";
import { type GoldenRun, goldenFiles } from "./golden.js";
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

/** Runs the test and keeps its verdict. Throws where it fails. */
export async function runTest(
  { golden, precision, key }: KnownTest,
  { task, inputs, trial }: Manifest,
  { feeds, wanted }: GoldenRun,
  run: (feeds: Tensors) => Promise<Tensors>,
): Promise<SelfTest | null> {
  const got = await run(completeFeeds(inputs, feeds));
  if (!saysSomething(task, wanted)) return null;
  const why = disagreement(task, wanted, got, precision, trial.confidence);
  await remember(key, why);
  if (why !== null) throw failed(why);
  return { sample: golden.sample, before: false };
}

function failed(why: string): WebbuildError {
  const fix = 'load with { backend: "wasm" }, and report the name of the adapter with this message';
  return new WebbuildError("self-test-failed", `this GPU does not compute what the model must: ${why}`, fix);
}
