// Verdicts of self-tests, stored for the next visit by adapter, browser and bundle.

import type { Warn } from "../api/warn.js";
import { type Fields, isRecent, readFinding, writeFinding } from "../storage/findings.js";

/** `reason` is null if the test passed. */
interface SelfTestRecord {
  reason: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

const DAY = 86_400_000;
/**
 * The days that a verdict is valid. Browsers do not report a new driver, so failed tests are repeated soon,
 * others later.
 */
const DAYS = { failed: 7, passed: 30 };

/** Returns the verdict, null if there is no valid one, or no cache. */
export async function readSelfTest(key: string, warn: Warn): Promise<SelfTestRecord | null> {
  const holds = ({ reason, at }: Fields): boolean =>
    reason === null
      ? isRecent(at, DAYS.passed * DAY)
      : typeof reason === "string" && isRecent(at, DAYS.failed * DAY);
  return (await readFinding<SelfTestRecord>(key, holds, warn)) ?? null;
}

/** Returns when a test that failed at this time is run again, in milliseconds since 1970. */
export function retestTime(failedAt: number): number {
  return failedAt + DAYS.failed * DAY;
}

/** Stores a verdict. If that fails, the test runs again on the next visit. */
export async function writeSelfTest(key: string, reason: string | null, warn: Warn): Promise<void> {
  const verdict: SelfTestRecord = { reason, at: Date.now() };
  await writeFinding(key, verdict, warn);
}
