// Parses a tensor file: the elements, little-endian, in row-major order, and nothing else.

import { WebbuildError } from "../api/errors.js";
import type { DType, TensorData } from "../api/types.js";

/** Bytes of an element. */
export const BYTES_PER_ELEMENT: Record<DType, number> = { float32: 4, int32: 4, int64: 8, uint8: 1, bool: 1 };

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
    BYTES_PER_ELEMENT[dtype],
  );
  const dims = shape.map((length) => (length < 0 && row > 0 ? Math.floor(buffer.byteLength / row) : length));
  const size = dims.reduce((product, length) => product * length, BYTES_PER_ELEMENT[dtype]);
  if (buffer.byteLength !== size || !dims.every(Number.isInteger)) {
    const what = `${path} is ${buffer.byteLength} bytes, a ${dtype} [${dims.join(", ")}] is ${size}`;
    throw new WebbuildError("invalid-manifest", what, "pack the model again");
  }
  switch (dtype) {
    case "float32":
      return { type: dtype, dims, data: new Float32Array(buffer) };
    case "int32":
      return { type: dtype, dims, data: new Int32Array(buffer) };
    case "int64":
      return { type: dtype, dims, data: new BigInt64Array(buffer) };
    case "uint8":
    case "bool":
      return { type: dtype, dims, data: new Uint8Array(buffer) };
    default:
      return dtype satisfies never;
  }
}

/** Returns a tensor of zeros. */
export function zeroTensor(spec: { dtype: DType; shape: readonly number[] }): TensorData {
  return parseRawTensor(spec, "zeros", new ArrayBuffer(tensorBytes(spec)));
}

export function tensorBytes({ dtype, shape }: { dtype: DType; shape: readonly number[] }): number {
  return shape.reduce((product, length) => product * length, BYTES_PER_ELEMENT[dtype]);
}
