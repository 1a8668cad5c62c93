// The tolerances of a graph in reduced precision, as in its proof: see conformance/reduced-precision.

/** Tolerances as numbers. The task decides which one it applies to which output. */
export interface Tolerance {
  /** The absolute error of a score, and of each component that is compared separately. */
  score: number;
  /** The error of a position, in pixels of the model's input. */
  pixels: number;
  /** The error relative to an output's largest magnitude. */
  relative: number;
  /** The mean relative error of a depth map. */
  depth: number;
  /** Depths below this share of the largest are compared as if they were that large. */
  depthFloor: number;
  /** The maximum error of a pixel's depth, as a multiple of the mean tolerance. */
  depthWorst: number;
  /** The mean absolute error of alpha, which is in 0..1. */
  alpha: number;
  /** The maximum error of a pixel's alpha, as a multiple of the mean tolerance. */
  alphaWorst: number;
  /** How far below 1 the cosine of two embeddings may be. */
  cosine: number;
}

export const REDUCED_PRECISION: Tolerance = {
  score: 0.01,
  pixels: 0.5,
  relative: 0.01,
  depth: 0.01,
  depthFloor: 0.01,
  depthWorst: 10,
  alpha: 0.005,
  alphaWorst: 10,
  cosine: 1e-4,
};

/** Returns in words by how much any element differs; null within the share of the largest magnitude. */
export function largestDifference(
  want: Float32Array,
  got: Float32Array,
  { relative }: Tolerance,
): string | null {
  const allowed = relative * largestOf(want);
  const worst = largestOf(want, (_, index) => absoluteDifference(want, got, index));
  return worst <= allowed ? null : exceeded(worst, allowed);
}

/** Returns the absolute difference; NaN if the values differ and one is not finite. */
export function absoluteDifference(want: ArrayLike<number>, got: ArrayLike<number>, index: number): number {
  return want[index] === got[index] ? 0 : Math.abs((want[index] ?? Number.NaN) - (got[index] ?? Number.NaN));
}

/**
 * Returns the largest value; NaN if any is. Equal infinities have the difference 0, and do not count as a
 * magnitude.
 */
export function largestOf(
  values: Float32Array,
  of: (value: number, index: number) => number = (value) => (Number.isFinite(value) ? Math.abs(value) : 0),
): number {
  let largest = 0;
  for (const [index, value] of values.entries()) {
    const each = of(value, index);
    if (!(each <= largest)) largest = each;
    if (Number.isNaN(largest)) break;
  }
  return largest;
}

export function exceeded(worst: number, allowed: number): string {
  return `differs by ${worst.toPrecision(2)}, ${allowed.toPrecision(2)} are allowed in reduced precision`;
}

export function percent(part: number): string {
  return `${(part * 100).toPrecision(2)} %`;
}
