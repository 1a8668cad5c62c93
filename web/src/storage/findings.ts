// Findings: facts about this browser and GPU, such as the verdict of a self-test, stored for the next visit.

import type { Warn } from "../api/warn.js";
import { LIMITS, TimedOut, withLimit } from "../worker/with-limit.js";
import { sha256 } from "./sha256.js";
import { existingCache } from "./storage-backends.js";

const CACHE = "webbuild-findings";

/** The fields of a stored value before it is validated. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns the key of a finding of a bundle. It changes with any value in `parts`. */
export async function findingKey(base: string, parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new URL(`finding/${await sha256(text)}`, base).href;
}

/**
 * Returns a stored finding; undefined if there is none, or no cache. Any page of the origin may write there,
 * so an invalid value is ignored.
 */
export async function readFinding<T>(
  key: string,
  isValid: (stored: Fields) => boolean,
  warn: Warn,
): Promise<T | undefined> {
  const stored = await orUndefined(warn, async () => (await (await caches.open(CACHE)).match(key))?.json());
  return typeof stored === "object" && stored !== null && isValid(stored) ? stored : undefined;
}

/** Stores a finding. A failure is ignored: the next visit measures again. */
export async function writeFinding(key: string, value: unknown, warn: Warn): Promise<void> {
  await orUndefined(warn, async () => (await caches.open(CACHE)).put(key, Response.json(value)));
}

/**
 * Whether `at`, in milliseconds since 1970, is less than this many milliseconds ago. False for a time in the
 * future: the clock was wrong, so the age is unknown.
 */
export function isRecent(at: unknown, milliseconds: number): boolean {
  const age = Date.now() - (typeof at === "number" ? at : Number.NaN);
  return age >= 0 && age < milliseconds;
}

export async function deleteFinding(key: string, warn: Warn): Promise<void> {
  await orUndefined(warn, async () => (await caches.open(CACHE)).delete(key));
}

/** Deletes the findings of the bundles in the manifest's folder. */
export async function deleteFindings(base: string): Promise<void> {
  const cache = await existingCache(CACHE);
  if (cache === null) return;
  const prefix = new URL("finding/", base).href;
  for (const request of await cache.keys()) if (request.url.startsWith(prefix)) await cache.delete(request);
}

/** Returns the result of storage, undefined if it fails. Warns if it does not respond in time. */
async function orUndefined<T>(warn: Warn, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withLimit(work(), LIMITS.storage, "the browser's storage");
  } catch (error) {
    if (error instanceof TimedOut) {
      const message = `findings about this machine are not stored: ${error.message}`;
      const fix = "nothing to do: the model runs, and the next visit measures again";
      warn({ code: "not-remembered", message, fix });
    }
    return undefined;
  }
}
