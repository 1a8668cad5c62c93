// The stored choice of a backend: which one was faster on an earlier visit, by adapter, browser and bundle.

import type { Backend, LoadOptions } from "../api/load-options.js";
import type { AdapterInfo } from "../api/model-info.js";
import type { Warn } from "../api/warn.js";
import { engineFiles } from "../engine/engine.js";
import { requireAdapter } from "../gpu/gpu-device.js";
import { graphFiles } from "../manifest/graphs.js";
import type { Manifest } from "../manifest/manifest.js";
import { type Fields, findingKey, isRecent, readFinding, writeFinding } from "../storage/findings.js";
import type { Preference, RunTimes } from "./timed-runs.js";

/** `times` are null if the other backend was clearly too slow to be timed. */
interface RememberedChoice {
  backend: Backend;
  reason: string;
  times: RunTimes | null;
  /** The adapter that the model was timed on. With another one the choice is not valid. */
  adapter: AdapterInfo | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** The milliseconds that a choice stays valid: browsers do not report a new or slower driver. */
const LIFE = 60 * 86_400_000;
const BACKENDS: readonly Backend[] = ["webgpu", "wasm"];

/** The key of a choice, and the stored choice; null if there is none that is still valid. */
export interface ChoiceMemory {
  key: string;
  known: RememberedChoice | null;
}

/** Returns the stored choice of a model. Requests the adapter, which takes time, only if one is stored. */
export async function readChoice(
  manifest: Manifest,
  base: string,
  options: { prefer: Preference; precision: string; backend: LoadOptions["backend"] },
  warn: Warn,
): Promise<ChoiceMemory> {
  const { graphs, engines, files } = manifest;
  const used = [...graphs.flatMap(graphFiles), ...engines.flatMap(engineFiles)];
  const hashes = used.map((path) => files.find((each) => each.path === path)?.sha256);
  const machine = [navigator.userAgent, navigator.hardwareConcurrency, crossOriginIsolated];
  const key = await findingKey(base, ["backend", options, machine, hashes]);
  const known = await readFinding<RememberedChoice>(key, isChoice, warn);
  if (known === undefined) return { key, known: null };
  const adapter = await requireAdapter().catch(() => null);
  const isSame = JSON.stringify(adapter?.info ?? null) === JSON.stringify(known.adapter);
  return { key, known: isSame ? known : null };
}

function isChoice({ backend, reason, times, at }: Fields): boolean {
  if (!BACKENDS.includes(backend as Backend) || typeof reason !== "string" || !isRecent(at, LIFE))
    return false;
  if (times === null) return true;
  const runs = Object.entries(Object(times));
  return runs.every(([name, each]) => BACKENDS.includes(name as Backend) && isNumbers(each));
}

function isNumbers(each: unknown): boolean {
  return Array.isArray(each) && each.every((one) => typeof one === "number");
}

export async function writeChoice(key: string, choice: RememberedChoice, warn: Warn): Promise<void> {
  await writeFinding(key, choice, warn);
}
