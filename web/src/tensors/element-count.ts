// The number of elements of a tensor.

export function elementCount(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}
