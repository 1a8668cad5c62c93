import { expect, test } from "vitest";
import { pictureTensor } from "../../src/preprocess/picture-tensor.js";
import { concatenated } from "../../src/tensors/batch.js";

test.each([
  ["float32", Float32Array],
  ["uint8", Uint8Array],
  ["int32", Int32Array],
] as const)("a picture of %s is one tensor, and several are a batch", (dtype, elements) => {
  const picture = pictureTensor([1, 1, 1, 3], Float32Array.of(0, 128, 255), dtype);
  expect(picture).toEqual({ type: dtype, dims: [1, 1, 1, 3], data: elements.of(0, 128, 255) });
  expect(concatenated([picture, picture])).toEqual({
    type: dtype,
    dims: [2, 1, 1, 3],
    data: elements.of(0, 128, 255, 0, 128, 255),
  });
});
