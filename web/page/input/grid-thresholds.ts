// Lowers the thresholds of everything() for models that give lower scores than Segment Anything.

import type { FoundMask } from "../../src/index.js";

/** The least score and stability. */
export interface GridThresholds {
  score: number;
  stability: number;
}

/** The share of masks that must pass the lowered thresholds. */
const GOOD_SHARE = 0.1;

/**
 * Returns both thresholds, lowered by the same factor until a tenth of the masks pass. Null if a mask passes already, or
 * there are no masks.
 */
export function lowerThresholds(
  masks: readonly Pick<FoundMask, "score" | "stability">[],
  usual: GridThresholds,
): GridThresholds | null {
  if (masks.length === 0 || masks.some((mask) => isGoodEnough(mask, usual))) return null;
  const reached = masks
    .map(({ score, stability }) => Math.min(score / usual.score, stability / usual.stability))
    .sort((one, other) => other - one);
  const factor = reached[Math.ceil(GOOD_SHARE * reached.length) - 1] ?? 0;
  return { score: under(factor * usual.score), stability: hundredths(factor * usual.stability) };
}

/** Whether a mask passes, in float32 as in a run: its stability may equal the threshold, its score has to be above. */
function isGoodEnough(
  { score, stability }: Pick<FoundMask, "score" | "stability">,
  least: GridThresholds,
): boolean {
  return score > Math.fround(least.score) && stability >= Math.fround(least.stability);
}

/** Returns the next hundredth below a score. A threshold of 0 keeps all. */
function under(score: number): number {
  const rounded = hundredths(score);
  return Math.fround(score) > Math.fround(rounded) ? rounded : hundredths(rounded - 0.005);
}

/** Rounds down to the two decimals that the page shows. */
function hundredths(value: number): number {
  return Math.max(0, Math.floor(value * 100) / 100);
}
