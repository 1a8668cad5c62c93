// Parses a tensor file: the elements, little-endian, in row-major order, and nothing else.

import { WebbuildError } from "../api/errors.js";
import type { DType, TensorData } from "../api/types.js";
import { TYPED_ARRAYS } from "./typed-arrays.js";

/**
 * Parses the file at `path`. Throws `invalid-manifest` if its length differs from the shape's; a size of -1
 * is derived from it.
 */
export function parseRawTensor(
  { dtype, shape }: { dtype: DType; shape: readonly number[] },
  path: string,
  buffer: ArrayBuffer,
): TensorData {
  const row = shape.reduce(
    (product, length) => (length < 0 ? product : product * length),
    TYPED_ARRAYS[dtype].BYTES_PER_ELEMENT,
  );
  const dims = shape.map((length) => (length < 0 && row > 0 ? Math.floor(buffer.byteLength / row) : length));
  const size = dims.reduce((product, length) => product * length, TYPED_ARRAYS[dtype].BYTES_PER_ELEMENT);
  if (buffer.byteLength !== size || !dims.every(Number.isInteger)) {
    const what = `${path} is ${buffer.byteLength} bytes, a ${dtype} [${dims.join(", ")}] is ${size}`;
    throw new WebbuildError("invalid-manifest", what, "pack the model again");
  }
  return { type: dtype, dims, data: new TYPED_ARRAYS[dtype](buffer) } as TensorData;
}

/** Returns a tensor of zeros. */
export function zeroTensor(spec: { dtype: DType; shape: readonly number[] }): TensorData {
  return parseRawTensor(spec, "zeros", new ArrayBuffer(tensorBytes(spec)));
}

export function tensorBytes({ dtype, shape }: { dtype: DType; shape: readonly number[] }): number {
  return shape.reduce((product, length) => product * length, TYPED_ARRAYS[dtype].BYTES_PER_ELEMENT);
}
