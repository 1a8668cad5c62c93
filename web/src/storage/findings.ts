// What was found out about this machine, kept for the next visit.

import { LIMITS, TimedOut, type Warn, withLimit } from "../worker/with-limit.js";
import { sha256 } from "./sha256.js";

const CACHE = "webbuild-findings";

/** Returns what names a finding of a bundle: anything in `parts` that changes asks for another. */
export async function findingKey(base: string, parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new URL(`finding/${await sha256(text)}`, base).href;
}

/** Returns what was written, undefined where that is nothing, or where there is no cache. */
export async function readFinding(key: string, warn: Warn): Promise<unknown> {
  return answered(warn, async () => (await (await caches.open(CACHE)).match(key))?.json());
}

/** Where it cannot be kept, it is found out again next time. */
export async function writeFinding(key: string, value: unknown, warn: Warn): Promise<void> {
  await answered(warn, async () => (await caches.open(CACHE)).put(key, Response.json(value)));
}

export async function deleteFinding(key: string, warn: Warn): Promise<void> {
  await answered(warn, async () => (await caches.open(CACHE)).delete(key));
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
