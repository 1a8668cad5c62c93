// Tensors, as the public calls take and return them.

import type { Output } from "../manifest/manifest.js";

/** The element type of a tensor. */
export type DType = Output["dtype"];

/** The typed array of each element type. `bool` is one byte, 0 or 1. */
export interface DTypeArray {
  float32: Float32Array<ArrayBuffer>;
  int8: Int8Array<ArrayBuffer>;
  int16: Int16Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  int64: BigInt64Array<ArrayBuffer>;
  uint8: Uint8Array<ArrayBuffer>;
  uint16: Uint16Array<ArrayBuffer>;
  uint32: Uint32Array<ArrayBuffer>;
  uint64: BigUint64Array<ArrayBuffer>;
  bool: Uint8Array<ArrayBuffer>;
}

/** A tensor, its elements in row-major order. */
export type TensorData = { [T in DType]: { type: T; dims: number[]; data: DTypeArray[T] } }[DType];

/** Tensors by the names of inputs or outputs. */
export type Tensors = Record<string, TensorData>;
