import { describe, expect, test } from "vitest";
import { decode } from "../src/decode.js";
import type { DepthTask, ImageInput, Manifest } from "../src/manifest.js";
import { decodeMap, depthWarnings, extent } from "../src/tasks/depth.js";
import { room } from "./conformance.js";
import { variants } from "./fixture/manifests.js";

type Rows = (number | "NaN")[][];

interface Case {
  task: DepthTask;
  letterbox: {
    source: { width: number; height: number };
    left: number;
    top: number;
    width: number;
    height: number;
  };
  input: { width: number; height: number };
  depth: Rows;
  confidence: Rows | null;
  want: { depth: Rows; confidence: Rows | null; min: number | "NaN"; max: number | "NaN" };
  tolerance: number;
}

/** NaN equals NaN, and nothing else. */
function expectSame(got: ArrayLike<number>, rows: Rows, tolerance: number): void {
  const want = rows.flat().map(Number);
  expect(got.length).toBe(want.length);
  for (const [index, value] of want.entries()) {
    const other = got[index] ?? 0;
    if (Number.isNaN(value)) expect(other).toBeNaN();
    else expect(Math.abs(other - value), `element ${index}`).toBeLessThanOrEqual(tolerance);
  }
}

test.each(room<Case>("depth"))("%s", (_, { letterbox, input, depth, confidence, want, tolerance }) => {
  const read = (rows: Rows): Float32Array => {
    const grid = { width: rows[0]?.length ?? 0, height: rows.length };
    return decodeMap(letterbox, { values: Float32Array.from(rows.flat().map(Number)), grid, input });
  };
  const map = read(depth);
  expectSame(map, want.depth, tolerance);
  if (confidence !== null) expectSame(read(confidence), want.confidence ?? [], tolerance);
  const { min, max } = extent(map);
  expectSame([min, max], [[want.min, want.max]], tolerance);
});

describe("a manifest of task depth", () => {
  const base = variants([])["tensor.json"] as Manifest;
  const task: DepthTask = {
    kind: "depth",
    output: "map",
    confidence: "sure",
    quantity: "inverse-depth",
    unit: "relative",
    near: null,
    far: null,
  };
  const image = { ...(base.inputs[0] as ImageInput), shape: [1, 3, 1, 2] };
  const map = (name: string, shape: number[]) => ({ name, dtype: "float32" as const, shape });
  const manifest: Manifest = {
    ...base,
    task,
    inputs: [image],
    outputs: [map("map", [1, 1, 1, 2]), map("sure", [1, 1, 2])],
  };
  const geometry = { source: { width: 2, height: 1 }, left: 0, top: 0, width: 2, height: 1 };
  const outputs = {
    map: { type: "float32" as const, dims: [1, 1, 1, 2], data: Float32Array.of(3, 7) },
    sure: { type: "float32" as const, dims: [1, 1, 2], data: Float32Array.of(0.5, 1) },
  };

  test("gives maps of the picture's size, with or without a channel axis", () => {
    expect(decode(manifest, outputs, geometry)).toEqual({
      kind: "depth",
      width: 2,
      height: 1,
      depth: Float32Array.of(3, 7),
      confidence: Float32Array.of(0.5, 1),
      min: 3,
      max: 7,
      quantity: "inverse-depth",
      unit: "relative",
    });
  });

  test("refuses a map of another shape", () => {
    const odd = { ...outputs, map: { ...outputs.map, dims: [1, 1, 2] } };
    expect(() => decode(manifest, odd, geometry)).toThrow("map: wanted float32 [1, 1, 1, 2]");
  });
});

test("a map that is the same everywhere, or holds no number, is warned of", () => {
  expect(depthWarnings({ min: 1, max: 2 })).toEqual([]);
  expect(depthWarnings({ min: 0, max: 0 })).toMatchObject([
    { code: "flat-depth", message: expect.stringContaining("is 0 everywhere") },
  ]);
  expect(depthWarnings({ min: Number.NaN, max: Number.NaN })).toMatchObject([{ code: "flat-depth" }]);
});
