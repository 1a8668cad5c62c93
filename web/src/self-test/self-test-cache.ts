// What self-tests found, kept for the next visit: by adapter, browser and bundle.

import type { Warn } from "../api/warn.js";
import { type Fields, isRecent, readFinding, writeFinding } from "../storage/findings.js";

/** `reason` is null where the test was passed. */
interface SelfTestRecord {
  reason: string | null;
  /** Milliseconds since 1970. */
  at: number;
}

const DAY = 86_400_000;
/** A browser does not tell of a new driver: what failed is tried again soon, what passed from time to time. */
const DAYS = { failed: 7, passed: 30 };

/** Returns the verdict, null where there is none that still holds, or no cache. */
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

/** Where it cannot be kept, the test is run again next time. */
export async function writeSelfTest(key: string, reason: string | null, warn: Warn): Promise<void> {
  const verdict: SelfTestRecord = { reason, at: Date.now() };
  await writeFinding(key, verdict, warn);
}
