// What self-tests found, kept for the next visit: by adapter, browser and bundle.

import type { Warning } from "../api/types.js";
import { sha256 } from "../storage/sha256.js";
import { LIMITS, TimedOut, type Warn, withLimit } from "../worker/with-limit.js";

/** `reason` is null where the test was passed. */
export interface SelfTestRecord {
  reason: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

const CACHE = "webbuild-self-tests";
const DAY = 86_400_000;
/** A browser does not tell of a new driver: what failed is tried again soon, what passed from time to time. */
const DAYS = { failed: 7, passed: 30 };

/** Returns what names a verdict: anything in `parts` that changes asks for another. */
export async function selfTestKey(base: string, parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new URL(`self-test/${await sha256(text)}`, base).href;
}

/** Returns the verdict, null where there is none that still holds, or no cache. */
export async function readSelfTest(key: string, warn: Warn): Promise<SelfTestRecord | null> {
  const verdict = await answered(warn, async (): Promise<SelfTestRecord | undefined> => {
    const response = await (await caches.open(CACHE)).match(key);
    return response?.json();
  });
  if (verdict === undefined) return null;
  const days = verdict.reason === null ? DAYS.passed : DAYS.failed;
  return Date.now() - verdict.at < days * DAY ? verdict : null;
}

/** Where it cannot be kept, the test is run again next time. */
export async function writeSelfTest(key: string, reason: string | null, warn: Warn): Promise<void> {
  const verdict: SelfTestRecord = { reason, at: Date.now() };
  await answered(warn, async () => (await caches.open(CACHE)).put(key, Response.json(verdict)));
}

export async function deleteSelfTest(key: string, warn: Warn): Promise<void> {
  await answered(warn, async () => (await caches.open(CACHE)).delete(key));
}

/** Returns what storage answers; undefined where it fails, or does not answer, which is said. */
async function answered<T>(warn: Warn, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withLimit(ask(), LIMITS.storage, "the browser's storage");
  } catch (error) {
    if (error instanceof TimedOut) warn(notRemembered(error));
    return undefined;
  }
}

function notRemembered({ message }: TimedOut): Warning {
  const fix = "nothing: the model runs all the same, and the next visit tests it again";
  return { code: "not-remembered", message: `what the self-test found is not kept: ${message}`, fix };
}
