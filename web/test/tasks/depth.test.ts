import { describe, expect, test } from "vitest";
import type { DepthResult } from "../../src/index.js";
import type { DepthTask, ImageInput, Manifest } from "../../src/manifest/manifest.js";
import { decode, neededOutputs } from "../../src/postprocess/decode.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { depthAt } from "../../src/tasks/depth/depth-at.js";
import { decodeMap, depthWarnings, extent, extentOf } from "../../src/tasks/depth/depth-map.js";
import { depthOptions } from "../../src/tasks/depth/options.js";
import { variants } from "../fixture/manifests.js";
import { casesOf } from "../support/conformance.js";

type Rows = (number | "NaN")[][];

interface Case {
  task: DepthTask;
  letterbox: Geometry;
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

test.each(casesOf<Case>("depth"))("%s", (_, { letterbox, input, depth, confidence, want, tolerance }) => {
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

test("the range covers the finite values, for maps of any length", () => {
  for (const length of [0, 1, 3, 1000, 16_384, 40_001]) {
    const odd = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    const map = Float32Array.from({ length }, () =>
      Math.random() < 0.1 ? (odd[Math.floor(Math.random() * 3)] ?? 0) : Math.random() - 0.5,
    );
    const finite = [...map].filter(Number.isFinite).sort((a, b) => a - b);
    const want = { min: finite[0] ?? Number.NaN, max: finite.at(-1) ?? Number.NaN };
    expect(extent(map)).toEqual(want);
    expect(extentOf([map.subarray(0, 2), map.subarray(2)])).toEqual(want);
  }
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

  test("gives maps of the image's size, with or without a channel axis", () => {
    expect(decode(manifest, outputs, geometry)).toEqual({
      kind: "depth",
      width: 2,
      height: 1,
      depth: Float32Array.of(3, 7),
      confidence: Float32Array.of(0.5, 1),
      map: null,
      colors: null,
      min: 3,
      max: 7,
      near: 7,
      far: 3,
      quantity: "inverse-depth",
      unit: "relative",
    });
  });

  test("gives only the requested outputs, and reads the map if there is nothing else", () => {
    const wish = { values: false, map: true, colors: false, confidenceAlpha: false };
    expect(neededOutputs(manifest, wish)).toEqual(["map"]);
    expect(neededOutputs(manifest)).toEqual(["map", "sure"]);
    const wide = { ...geometry, source: { width: 4, height: 1 } };
    const whole = decode(manifest, outputs, wide) as DepthResult;
    const small = decode(manifest, { map: outputs.map }, wide, wish) as DepthResult;
    expect(small).toMatchObject({ depth: null, confidence: null, colors: null, min: 3, max: 7 });
    expect(small.map).toMatchObject({ columns: 2, rows: 1, values: Float32Array.of(3, 7) });
    const read = (result: DepthResult) => [0, 1.9, 2.5, 3].map((x) => depthAt(result, x, 0.5));
    expect(read(small)).toEqual([3, 4, 6, 7]);
    expect(read(whole)).toEqual(read(small));
    expect(depthAt(whole, 4, 0)).toBeNaN();
    expect(depthAt(small, 0, -0.1)).toBeNaN();
    expect(depthAt({ ...small, map: null }, 1, 0)).toBeNaN();
  });

  test("accepts its own options, and no others", () => {
    const none = { values: false, map: false, colors: false, confidenceAlpha: false };
    expect(depthOptions(task, {})).toEqual({ ...none, values: true });
    expect(depthOptions(task, { depth: "colors" })).toEqual({ ...none, colors: true });
    expect(depthOptions(task, { depth: ["map", "colors"], confidenceAlpha: true })).toEqual({
      ...none,
      map: true,
      colors: true,
      confidenceAlpha: true,
    });
    const odd = (options: object, of = task) => expect(() => depthOptions(of, options));
    odd({ depth: [] }).toThrow("got []");
    odd({ depth: "colours" }).toThrow('wanted parts of a result, got "colours"');
    odd({ depth: ["map", 1] }).toThrow("got 1");
    odd({ depth: 5 }).toThrow("got 5");
    odd({ confidenceAlpha: true }, { ...task, confidence: null }).toThrow("no confidence output");
  });

  test("refuses a map of another shape", () => {
    const odd = { ...outputs, map: { ...outputs.map, dims: [1, 1, 2] } };
    expect(() => decode(manifest, odd, geometry)).toThrow("map: wanted float32 [1, 1, 1, 2]");
  });
});

test("a constant map, or one of NaN, gives a warning", () => {
  expect(depthWarnings({ min: 1, max: 2 })).toEqual([]);
  expect(depthWarnings({ min: 0, max: 0 })).toMatchObject([
    { code: "flat-depth", message: expect.stringContaining("is 0 everywhere") },
  ]);
  expect(depthWarnings({ min: Number.NaN, max: Number.NaN })).toMatchObject([{ code: "flat-depth" }]);
});
