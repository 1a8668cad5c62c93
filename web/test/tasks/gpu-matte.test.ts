import { beforeAll, describe, expect, test } from "vitest";
import { maxLevelDifference, noise, withBuffer } from "../../src/gpu/self-check-data.js";
import type { MatteTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { alphaCells, alphaLayout, alphaLevels } from "../../src/tasks/matte/alpha.js";
import { cutOut } from "../../src/tasks/matte/cutout.js";
import { GpuCutter } from "../../src/tasks/matte/gpu/gpu-matte.js";
import { cutoutDifference } from "../../src/tasks/matte/gpu/matte-self-check.js";
import { hasWebgpu } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: MatteTask;
  letterbox: Geometry;
  input: { width: number; height: number };
  dims: number[];
  values: (number | "NaN")[];
  want: { alpha: number[][] };
}

const TASK: MatteTask = {
  kind: "matte",
  output: "alpha",
  layout: "nchw",
  channel: 0,
  activation: "none",
  low: 0,
  high: 1,
  minMax: false,
  foreground: null,
  tiles: null,
};

const input = { width: 64, height: 48 };
const sizes: [string, Geometry][] = [
  ["larger than its input", { source: { width: 641, height: 479 }, left: 0, top: 0, ...input }],
  ["smaller than its input", { source: { width: 13, height: 7 }, left: 0, top: 0, ...input }],
  ["that is cropped", { source: { width: 90, height: 31 }, left: -20, top: 0, width: 104, height: 48 }],
];
const kinds: [string, MatteTask, number[]][] = [
  ["probabilities", TASK, [1, 1, 12, 16]],
  ["logits, stretched", { ...TASK, activation: "sigmoid", minMax: true }, [1, 12, 16]],
  ["two classes", { ...TASK, activation: "softmax", channel: 1 }, [1, 2, 12, 16]],
  [
    "two classes, channels last",
    { ...TASK, activation: "softmax", channel: 1, layout: "nhwc" },
    [1, 12, 16, 2],
  ],
];

describe.runIf(hasWebgpu)("a cutout that is made on the GPU", () => {
  let device: GPUDevice;
  let cutter: GpuCutter;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    cutter = await GpuCutter.open(device);
  });

  function pictureOf({ width, height }: Geometry["source"]): ImageData {
    return new ImageData(
      Uint8ClampedArray.from(noise(width * height * 4, 1), (level) => 128 + 127 * level),
      width,
      height,
    );
  }

  /** Cuts out an image on the GPU and the CPU. */
  async function both(
    task: MatteTask,
    geometry: Geometry,
    dims: number[],
    values: Float32Array,
    over = input,
  ) {
    const layout = alphaLayout(task, dims);
    const picture = pictureOf(geometry.source);
    const map = { values: alphaCells(task, values, layout), grid: layout.grid, input: over };
    const alpha = alphaLevels(geometry, map);
    const cutout = cutOut(picture, alpha, geometry, null);
    const got = await withBuffer(device, Float32Array.from(values), (buffer) =>
      cutter.cut(task, geometry, { values: buffer, layout, input: over }, picture),
    );
    return { want: { alpha, cutout }, got };
  }

  test("passes the runtime's self-check", async () => {
    expect(await cutoutDifference(device, cutter)).toBeNull();
  });

  test.each(casesOf<Case>("matte"))("%s", async (_, { task, letterbox, input: over, dims, values, want }) => {
    const { got } = await both(task, letterbox, dims, Float32Array.from(values.map(Number)), over);
    expect(maxLevelDifference(want.alpha.flat(), got.alpha)).toBeLessThanOrEqual(1);
    expect(got.hasNan).toBe(values.includes("NaN"));
  });

  describe.each(kinds)("of %s", (_, task, dims) => {
    test.each(sizes)("equals the CPU's for an image %s", async (_, geometry) => {
      const values = noise(
        dims.reduce((product, size) => product * size),
        4,
      );
      const { want, got } = await both(task, geometry, dims, values);
      expect(maxLevelDifference(want.alpha, got.alpha)).toBeLessThanOrEqual(1);
      expect(new Set(got.alpha).size).toBeGreaterThan(1);
      expect([got.cutout.width, got.cutout.height]).toEqual([geometry.source.width, geometry.source.height]);
      expect(maxLevelDifference(want.cutout.data, got.cutout.data)).toBeLessThanOrEqual(1);
    });
  });

  test("is refused for an image larger than a texture", async () => {
    const source = { width: device.limits.maxTextureDimension2D + 1, height: 1 };
    const geometry = { source, left: 0, top: 0, ...input };
    await expect(both(TASK, geometry, [1, 1, 12, 16], noise(192, 1))).rejects.toThrow(
      "does not fit into a texture",
    );
  });
});
