// Which backend was faster on an earlier visit: by adapter, browser and bundle.

import type { Backend } from "../api/load-options.js";
import { engineFiles } from "../engine/engine.js";
import { requireAdapter } from "../gpu/gpu-device.js";
import { graphFiles } from "../manifest/graphs.js";
import type { Manifest } from "../manifest/manifest.js";
import { findingKey, readFinding, writeFinding } from "../storage/findings.js";
import type { Warn } from "../worker/with-limit.js";
import type { Preference, RunTimes } from "./timed-runs.js";

/** `times` are null where the other backend was not worth a run. */
export interface RememberedChoice {
  backend: Backend;
  reason: string;
  times: RunTimes | null;
  /** Milliseconds since 1970. */
  at: number;
}

/** A browser does not tell of a new driver, nor of one that is slower now. */
const LIFE = 60 * 86_400_000;

/** What a choice is kept under, and what was kept; null for both where there is nothing to choose from. */
export interface ChoiceMemory {
  key: string;
  known: RememberedChoice | null;
}

/** Returns what is remembered of a model, null where the browser offers no adapter. */
export async function readChoice(
  manifest: Manifest,
  base: string,
  asked: { prefer: Preference; precision: string },
  warn: Warn,
): Promise<ChoiceMemory | null> {
  const adapter = await requireAdapter().catch(() => null);
  if (adapter === null) return null;
  const { graphs, engines, files } = manifest;
  const used = [...graphs.flatMap(graphFiles), ...engines.flatMap(engineFiles)];
  const hashes = used.map((path) => files.find((each) => each.path === path)?.sha256);
  const { hardwareConcurrency } = navigator;
  const machine = [adapter.info, navigator.userAgent, hardwareConcurrency, crossOriginIsolated];
  const key = await findingKey(base, ["backend", asked, machine, hashes]);
  const known = (await readFinding(key, warn)) as RememberedChoice | undefined;
  const holds = known !== undefined && Date.now() - known.at < LIFE;
  return { key, known: holds ? known : null };
}

export async function writeChoice(key: string, choice: RememberedChoice, warn: Warn): Promise<void> {
  await writeFinding(key, choice, warn);
}
