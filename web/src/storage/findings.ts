// What was found out about this machine, kept for the next visit.

import { LIMITS, TimedOut, type Warn, withLimit } from "../worker/with-limit.js";
import { sha256 } from "./sha256.js";

const CACHE = "webbuild-findings";

/** Of something kept that is not checked yet. */
export type Fields = Readonly<Record<string, unknown>>;

/** Returns what names a finding of a bundle: anything in `parts` that changes asks for another. */
export async function findingKey(base: string, parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new URL(`finding/${await sha256(text)}`, base).href;
}

/**
 * Returns what was written, undefined where that is nothing, or where there is no cache. Anyone on the origin may write there:
 * what has not the form that is expected counts as nothing.
 */
export async function readFinding<T>(
  key: string,
  hasForm: (kept: Fields) => boolean,
  warn: Warn,
): Promise<T | undefined> {
  const kept = await answered(warn, async () => (await (await caches.open(CACHE)).match(key))?.json());
  return typeof kept === "object" && kept !== null && hasForm(kept) ? kept : undefined;
}

/** Where it cannot be kept, it is found out again next time. */
export async function writeFinding(key: string, value: unknown, warn: Warn): Promise<void> {
  await answered(warn, async () => (await caches.open(CACHE)).put(key, Response.json(value)));
}

/**
 * Whether what was found out at `at`, in milliseconds since 1970, still holds for so many. What is from after now was found
 * out under a clock that was wrong: nobody knows how old it is.
 */
export function isRecent(at: unknown, milliseconds: number): boolean {
  const age = Date.now() - (typeof at === "number" ? at : Number.NaN);
  return age >= 0 && age < milliseconds;
}

export async function deleteFinding(key: string, warn: Warn): Promise<void> {
  await answered(warn, async () => (await caches.open(CACHE)).delete(key));
}

/** Forgets what was found out about the bundles beside a manifest. */
export async function deleteFindings(base: string): Promise<void> {
  const cache = await caches.open(CACHE);
  const found = new URL("finding/", base).href;
  for (const request of await cache.keys()) if (request.url.startsWith(found)) await cache.delete(request);
}

/** Returns what storage answers; undefined where it fails, or does not answer, which is said. */
async function answered<T>(warn: Warn, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await withLimit(ask(), LIMITS.storage, "the browser's storage");
  } catch (error) {
    if (error instanceof TimedOut) {
      const message = `what was found out about this machine is not kept: ${error.message}`;
      const fix = "nothing: the model runs all the same, and the next visit finds it out again";
      warn({ code: "not-remembered", message, fix });
    }
    return undefined;
  }
}
