// Rounding as Python's round() does it.

/** Returns the nearest integer, of two equally near the even one, and never -0. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return floor + (up ? 1 : 0) + 0;
}
