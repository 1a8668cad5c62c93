// Rounding to whole numbers.

/** Returns the nearest integer, of two equally near the even one, as Python's round() does, and never -0. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return floor + (up ? 1 : 0) + 0;
}

/** Returns the nearest integer, of two equally near the larger one, as int(value + 0.5) in Python. */
export function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}
