// The typed array of each element type.

import type { DType, DTypeArray, TensorData } from "../api/types.js";

interface Spec {
  dtype: DType;
  shape: readonly number[];
}

interface ArrayClass<A> {
  new (length: number): A;
  new (buffer: ArrayBuffer): A;
  readonly name: string;
  readonly BYTES_PER_ELEMENT: number;
}

export const TYPED_ARRAYS: { readonly [T in DType]: ArrayClass<DTypeArray[T]> } = {
  float32: Float32Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bool: Uint8Array,
};

/** Returns the tensor of elements in row-major order, as many as the shape has. */
export function toTensor({ dtype, shape }: Spec, values: readonly number[]): TensorData {
  const data = new TYPED_ARRAYS[dtype](values.length);
  const isBig = data instanceof BigInt64Array || data instanceof BigUint64Array;
  for (const [at, value] of values.entries()) data[at] = isBig ? BigInt(value) : value;
  return { type: dtype, dims: [...shape], data } as TensorData;
}
