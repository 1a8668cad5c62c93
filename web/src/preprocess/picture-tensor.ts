// The tensor of a picture or of crops, in the element type of the input.

import type { TensorData } from "../api/types.js";
import type { ImageInput } from "../manifest/manifest.js";

/** Returns the tensor of elements that are whole numbers in 0..255 unless the type is float32. */
export function pictureTensor(
  dims: number[],
  data: Float32Array<ArrayBuffer>,
  dtype: ImageInput["dtype"],
): TensorData {
  if (dtype === "uint8") return { type: dtype, dims, data: Uint8Array.from(data) };
  return dtype === "int32" ? { type: dtype, dims, data: Int32Array.from(data) } : { type: dtype, dims, data };
}
