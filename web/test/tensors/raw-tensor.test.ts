import { expect, test } from "vitest";
import type { DType } from "../../src/api/types.js";
import { parseRawTensor } from "../../src/tensors/raw-tensor.js";
import { TYPED_ARRAYS, toTensor } from "../../src/tensors/typed-arrays.js";

const six = new Float32Array([1, 2, 3, 4, 5, 6]);

test("a shape gives the sizes of a tensor", () => {
  const tensor = parseRawTensor({ dtype: "float32", shape: [2, 3] }, "t.bin", six.buffer);
  expect(tensor.dims).toEqual([2, 3]);
  expect([...(tensor.data as Float32Array)]).toEqual([...six]);
});

test.each([
  [[-1, 3], 6, [2, 3]],
  [[2, -1], 6, [2, 3]],
  [[-1, 4], 0, [0, 4]],
])("a dynamic size in %j follows from %i elements", (shape, count, dims) => {
  const { buffer } = six.slice(0, count);
  expect(parseRawTensor({ dtype: "float32", shape }, "t.bin", buffer).dims).toEqual(dims);
});

test("a fractional number is no size", () => {
  const read = () => parseRawTensor({ dtype: "int64", shape: [0.5] }, "t.bin", new ArrayBuffer(4));
  expect(read).toThrow(expect.objectContaining({ code: "invalid-manifest" }));
});

test.each([[[2, 2]], [[-1, 4]]])("6 elements are no tensor of %j", (shape) => {
  const read = () => parseRawTensor({ dtype: "float32", shape }, "t.bin", six.buffer);
  expect(read).toThrow(/t\.bin is 24 bytes/);
});

test.each(Object.keys(TYPED_ARRAYS) as DType[])("%s is read as its numbers are written", (dtype) => {
  const written = toTensor({ dtype, shape: [2] }, [0, 1]);
  expect(parseRawTensor({ dtype, shape: [-1] }, "t.bin", written.data.buffer)).toEqual(written);
});
