// What self-tests found, kept for the next visit: by adapter, browser and bundle.

import { readFinding, writeFinding } from "../storage/findings.js";
import type { Warn } from "../worker/with-limit.js";

/** `reason` is null where the test was passed. */
export interface SelfTestRecord {
  reason: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

const DAY = 86_400_000;
/** A browser does not tell of a new driver: what failed is tried again soon, what passed from time to time. */
const DAYS = { failed: 7, passed: 30 };

/** Returns the verdict, null where there is none that still holds, or no cache. */
export async function readSelfTest(key: string, warn: Warn): Promise<SelfTestRecord | null> {
  const verdict = (await readFinding(key, warn)) as SelfTestRecord | undefined;
  if (verdict === undefined) return null;
  const days = verdict.reason === null ? DAYS.passed : DAYS.failed;
  return Date.now() - verdict.at < days * DAY ? verdict : null;
}

/** Where it cannot be kept, the test is run again next time. */
export async function writeSelfTest(key: string, reason: string | null, warn: Warn): Promise<void> {
  const verdict: SelfTestRecord = { reason, at: Date.now() };
  await writeFinding(key, verdict, warn);
}
