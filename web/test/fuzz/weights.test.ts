// Stored weights and recorded tensors with wrong tables, sizes and shapes.

import fc from "fast-check";
import { test } from "vitest";
import type { DType } from "../../src/api/types.js";
import { dequantize } from "../../src/storage/dequantize.js";
import { parseRawTensor } from "../../src/tensors/raw-tensor.js";
import { damaged, expectTypedEnds } from "../support/fuzz.js";

/** Three pieces, one of each kind: 4 raw bytes, 2 x 3 of 8 bits and 2 x 3 of 16 bits. */
function weights(): Uint8Array<ArrayBuffer> {
  const content = new Uint8Array(8 + 3 * 24 + 2 * 2 * 4 + 4 + 6 + 12).fill(3);
  const view = new DataView(content.buffer);
  content.set(new TextEncoder().encode("WBW1"));
  const words = [3, ...[0, 0, 1, 1, 1, 4], ...[1, 4, 1, 3, 2, 1], ...[2, 28, 1, 3, 2, 1]];
  for (const [index, word] of words.entries()) view.setUint32(4 + 4 * index, word, true);
  for (let scale = 0; scale < 4; scale++) view.setFloat32(80 + 4 * scale, 0.5, true);
  return content;
}

const SIZE = 4 + 24 + 24;

test("weights are dequantized or refused", async () => {
  const sizes = fc.constantFrom(SIZE, SIZE, SIZE, SIZE - 4, SIZE + 4, 0, 2 ** 26, -1);
  await expectTypedEnds("weights", [300, 6000], fc.tuple(damaged(weights()), sizes), ([data, size]) =>
    dequantize(data, size, "weights.bin"),
  );
});

test("recorded tensors are read or refused", async () => {
  const shape = fc.array(fc.constantFrom(1, 2, 3, -1, 0, 0.5, 2 ** 31, 2 ** 53), { maxLength: 4 });
  const dtype = fc.constantFrom<DType[]>(
    "float32",
    "int32",
    "int64",
    "uint8",
    "bool",
    "constructor" as DType,
  );
  await expectTypedEnds(
    "recorded tensors",
    [300, 3000],
    fc.tuple(shape, dtype, fc.constantFrom(0, 1, 4, 8, 12, 24)),
    ([dims, type, bytes]) => parseRawTensor({ dtype: type, shape: dims }, "a.bin", new ArrayBuffer(bytes)),
  );
});
