// Converts numbers to a tensor of the graph's element type.

import type { DType, TensorData } from "../api/types.js";

interface Spec {
  dtype: DType;
  shape: readonly number[];
}

/** Returns the tensor of elements in row-major order, as many as the shape has. */
export function toTensor({ dtype, shape }: Spec, values: readonly number[]): TensorData {
  const dims = [...shape];
  switch (dtype) {
    case "int64":
      return { type: dtype, dims, data: BigInt64Array.from(values, BigInt) };
    case "int32":
      return { type: dtype, dims, data: Int32Array.from(values) };
    case "float32":
      return { type: dtype, dims, data: Float32Array.from(values) };
    case "uint8":
    case "bool":
      return { type: dtype, dims, data: Uint8Array.from(values) };
    default:
      return dtype satisfies never;
  }
}
