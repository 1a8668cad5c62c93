// A tensor in a file of its own: its elements, little-endian, in row-major order, and nothing else.

import type { DType, TensorData } from "./api.js";
import { WebbuildError } from "./errors.js";

const BYTES: Record<DType, number> = { float32: 4, int32: 4, int64: 8, uint8: 1, bool: 1 };

/** Throws `bad-manifest` where the file at `path` is not as long as the shape says. */
export function rawTensor(
  { dtype, shape }: { dtype: DType; shape: readonly number[] },
  path: string,
  buffer: ArrayBuffer,
): TensorData {
  const dims = [...shape];
  const size = dims.reduce((product, length) => product * length, BYTES[dtype]);
  if (buffer.byteLength !== size) {
    const what = `${path} is ${buffer.byteLength} bytes, a ${dtype} [${dims.join(", ")}] is ${size}`;
    throw new WebbuildError("bad-manifest", what, "pack the model again");
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
