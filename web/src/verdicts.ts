// What self-tests found, kept for the next visit: by adapter, browser and bundle.

import { sha256 } from "./hash.js";

/** `why` is null where the test was passed. */
export interface Verdict {
  why: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

const CACHE = "webbuild-self-tests";
const DAY = 86_400_000;
/** A browser does not tell of a new driver: what failed is tried again soon, what passed from time to time. */
const DAYS = { failed: 7, passed: 30 };

/** Returns what names a verdict: anything in `parts` that changes asks for another. */
export async function verdictKey(base: string, parts: unknown): Promise<string> {
  const text = new TextEncoder().encode(JSON.stringify(parts));
  return new URL(`self-test/${await sha256(text)}`, base).href;
}

/** Returns the verdict, null where there is none that still holds, or no cache. */
export async function recall(key: string): Promise<Verdict | null> {
  try {
    const kept = await (await caches.open(CACHE)).match(key);
    const verdict: Verdict | undefined = await kept?.json();
    if (verdict === undefined) return null;
    const days = verdict.why === null ? DAYS.passed : DAYS.failed;
    return Date.now() - verdict.at < days * DAY ? verdict : null;
  } catch {
    return null;
  }
}

/** Where it cannot be kept, the test is run again next time. */
export async function remember(key: string, why: string | null): Promise<void> {
  try {
    const verdict: Verdict = { why, at: Date.now() };
    await (await caches.open(CACHE)).put(key, Response.json(verdict));
  } catch {
    return;
  }
}

export async function forget(key: string): Promise<void> {
  try {
    await (await caches.open(CACHE)).delete(key);
  } catch {
    return;
  }
}
