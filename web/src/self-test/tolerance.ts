// What a graph in reduced precision may differ by: no more than where it was proven, see conformance/reduced-precision.

/** Numbers only: what they are compared with is the task's. */
export interface Tolerance {
  /** Of a score, and of a part of anything that is compared by its parts. */
  score: number;
  /** Of the model's input. */
  pixels: number;
  /** Of an output's largest magnitude. */
  relative: number;
  /** Mean of a depth map's relative errors. */
  depth: number;
  /** Depths below this part of the largest count as large as that. */
  depthFloor: number;
  /** A pixel's depth may be off by this many times the average. */
  depthWorst: number;
  /** Mean absolute error of alpha, which lies in 0..1. */
  alpha: number;
  /** A pixel's alpha may be off by this many times that. */
  alphaWorst: number;
  /** How far below 1 the cosine of two embeddings may lie. */
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

/** Returns in words by how much any element differs, null where it is no more than a part of the largest magnitude. */
export function largestDifference(
  want: Float32Array,
  got: Float32Array,
  { relative }: Tolerance,
): string | null {
  const allowed = relative * largestOf(want);
  const worst = largestOf(want, (_, index) => absoluteDifference(want, got, index));
  return worst <= allowed ? null : exceeded(worst, allowed);
}

/** NaN where either is not finite and the other another. */
export function absoluteDifference(want: ArrayLike<number>, got: ArrayLike<number>, index: number): number {
  return want[index] === got[index] ? 0 : Math.abs((want[index] ?? Number.NaN) - (got[index] ?? Number.NaN));
}

/** NaN where any is. What is infinite on both sides is no distance, and no size. */
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
