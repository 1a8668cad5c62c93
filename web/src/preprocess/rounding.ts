// Rounding to whole numbers.

/** Returns the nearest integer, the even one of two equally near, like Python's round(), and never -0. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  return floor + (up ? 1 : 0) + 0;
}

/** Returns the nearest integer, the larger of two equally near, like int(value + 0.5) in Python. */
export function roundHalfUp(value: number): number {
  return Math.floor(value + 0.5);
}
