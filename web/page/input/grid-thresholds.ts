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
 * Lowers both thresholds alike, until a tenth of the masks that any threshold would leave are good enough. Null: one of
 * them already is, or there is none.
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

/** As a run decides, in float32: a stability may be equal to its threshold, a score has to be above. */
function isGoodEnough(
  { score, stability }: Pick<FoundMask, "score" | "stability">,
  least: GridThresholds,
): boolean {
  return score > Math.fround(least.score) && stability >= Math.fround(least.stability);
}

/** The next hundredth that a score is above. A threshold of 0 leaves all. */
function under(score: number): number {
  const rounded = hundredths(score);
  return Math.fround(score) > Math.fround(rounded) ? rounded : hundredths(rounded - 0.005);
}

/** Rounded down to what the page shows. */
function hundredths(value: number): number {
  return Math.max(0, Math.floor(value * 100) / 100);
}
