import { expect, test } from "vitest";
import { dequantize } from "../../src/storage/dequantize.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  size: number;
  pieces: number[][];
  scales: (number | "inf")[];
  numbers: number[];
  magic?: string;
  count?: number;
  want?: string[];
  error?: string;
}

function stored({
  pieces,
  scales,
  numbers,
  magic = "WBW1",
  count = pieces.length,
}: Case): Uint8Array<ArrayBuffer> {
  const words = [count, ...pieces.flat()];
  const view = new DataView(new ArrayBuffer(4 + 4 * words.length + 4 * scales.length + numbers.length));
  const bytes = new Uint8Array(view.buffer);
  bytes.set(new TextEncoder().encode(magic));
  let at = 4;
  for (const word of words) {
    view.setUint32(at, word, true);
    at += 4;
  }
  for (const scale of scales) {
    view.setFloat32(at, scale === "inf" ? Number.POSITIVE_INFINITY : scale, true);
    at += 4;
  }
  bytes.set(numbers, at);
  return bytes;
}

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

test.each(casesOf<Case>("weights"))("%s", (_, weights) => {
  const { want, error, size } = weights;
  const restored = (): Uint8Array => dequantize(stored(weights), size, "model/w.bin");
  if (want !== undefined) {
    expect(hex(restored())).toBe(want.join(""));
    return;
  }
  expect(error).toBeTruthy();
  const message = expect.stringContaining(error ?? "");
  expect(restored).toThrow(expect.objectContaining({ code: "corrupt-file", message }));
});

test("weights at any offset of their buffer are dequantized", () => {
  const [, weights] = casesOf<Case>("weights").find(([name]) => name === "sixteen-bits") ?? [];
  if (weights === undefined) throw new Error("there is no such case");
  const bytes = stored(weights);
  const shifted = new Uint8Array(bytes.length + 3);
  shifted.set(bytes, 3);
  expect(hex(dequantize(shifted.subarray(3), weights.size, "w"))).toBe(weights.want?.join(""));
});

test("a size for which there is no memory is refused", () => {
  const weights = { size: 8, pieces: [], scales: [], numbers: [] };
  expect(() => dequantize(stored(weights), 2 ** 52, "w")).toThrow(
    expect.objectContaining({ code: "out-of-memory" }),
  );
});
