import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { maxLevelDifference, noise, withBuffer } from "../../src/gpu/self-check-data.js";
import type { DepthResult, RunOptions } from "../../src/index.js";
import type { DepthTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { applyColormap, confidenceAlpha } from "../../src/tasks/depth/colormap/cpu-colormap.js";
import { GpuColormap } from "../../src/tasks/depth/colormap/gpu-colormap.js";
import { depthAt } from "../../src/tasks/depth/depth-at.js";
import { type DepthMap, extentOf, readRows } from "../../src/tasks/depth/depth-map.js";
import { scaleOf } from "../../src/tasks/depth/depth-result.js";
import { hasWebgpu, loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";
import { loseAt, losing } from "../support/device-loss.js";
import { readBack } from "../support/measured.js";

type Cells = (number | "NaN")[][];
type Scaled = Pick<DepthTask, "near" | "far" | "quantity">;

interface Case {
  letterbox: Geometry;
  input: { width: number; height: number };
  depth: Cells;
}

const own = { near: null, far: null };
const scales: Scaled[] = [
  { ...own, quantity: "depth" },
  { ...own, quantity: "inverse-depth" },
  { near: -1, far: 2.5, quantity: "depth" },
];

/** Images larger than a stage and smaller than the map, padded and cropped. */
const sizes: [string, Geometry, { width: number; height: number }][] = [
  [
    "larger than a stage",
    placed(1900, 1201, { left: 0, top: 6, width: 32, height: 20 }),
    { width: 30, height: 30 },
  ],
  [
    "smaller than the map",
    placed(11, 23, { left: 8, top: 0, width: 15, height: 32 }),
    { width: 64, height: 60 },
  ],
  ["cropped", placed(97, 50, { left: -15, top: 0, width: 62, height: 32 }), { width: 16, height: 17 }],
];

function placed(width: number, height: number, at: Omit<Geometry, "source">): Geometry {
  return { source: { width, height }, ...at };
}

describe.runIf(hasWebgpu)("a depth map that is coloured on the GPU", () => {
  const input = { width: 32, height: 32 };
  let device: GPUDevice;
  let painter: GpuColormap;
  let pixels = 0;
  const apart = [0, 0];

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    painter = await GpuColormap.open(device);
  });

  afterAll(() => console.info(`of ${pixels} pixels ${apart[1]} differ, by ${apart[0]} level of 255 at most`));

  /** Whether the colours are the same within one level. */
  function expectColors(got: ImageData, want: ImageData): void {
    const off = maxLevelDifference(want.data, got.data);
    const theirs = new Uint32Array(want.data.buffer);
    const differing = new Uint32Array(got.data.buffer).filter((pixel, at) => pixel !== theirs[at]).length;
    pixels += theirs.length;
    [apart[0], apart[1]] = [Math.max(apart[0] ?? 0, off), (apart[1] ?? 0) + differing];
    expect(off).toBeLessThanOrEqual(1);
  }

  /** Colours a map on the GPU and the CPU. */
  async function painted(task: Scaled, geometry: Geometry, map: DepthMap, sure: DepthMap | null) {
    const { grid, input } = map;
    const got = await withBuffer(device, Float32Array.from(map.values), (depth) =>
      withBuffer(device, Float32Array.from((sure ?? map).values), (confidence) =>
        painter.apply(task, geometry, { depth, confidence: sure && confidence, grid, input }),
      ),
    );
    const range = extentOf(readRows(geometry, map));
    const fading = sure && confidenceAlpha(geometry, sure);
    return { got, range, want: applyColormap(geometry, map, scaleOf(task, range), fading) };
  }

  const differing = ({ data }: ImageData): number => new Set(new Uint32Array(data.buffer)).size;

  describe.each(scales)("with the scale %o", (task) => {
    test.each(casesOf<Case>("depth"))("has the colours of %s", async (_, { letterbox, input, depth }) => {
      const grid = { width: depth[0]?.length ?? 0, height: depth.length };
      const map = { values: Float32Array.from(depth.flat().map(Number)), grid, input };
      const { got, want, range } = await painted(task, letterbox, map, null);
      expectColors(got.picture, want);
      for (const [mine, theirs] of [
        [got.min, range.min],
        [got.max, range.max],
      ] as const) {
        if (Number.isNaN(theirs)) expect(mine).toBeNaN();
        else expect(Math.abs(mine - theirs)).toBeLessThanOrEqual(1e-6 * Math.abs(theirs));
      }
      expect(got.hasNan.depth).toBe(depth.flat().includes("NaN"));
    });

    test.each(sizes)(
      "equals the CPU's for an image %s, with and without fading",
      async (_, geometry, grid) => {
        const cells = grid.width * grid.height;
        const map = { values: noise(cells, 3), grid, input };
        const sure = { ...map, values: noise(cells, 4).map((value) => (value > 3.9 ? Number.NaN : value)) };
        for (const fading of [null, sure]) {
          const { got, want, range } = await painted(task, geometry, map, fading);
          expectColors(got.picture, want);
          expect(differing(got.picture)).toBeGreaterThan(100);
          expect(got.min).toBeCloseTo(range.min, 5);
          expect(got.max).toBeCloseTo(range.max, 5);
          expect(got.hasNan).toEqual({ depth: false, confidence: fading !== null });
        }
      },
    );
  });

  test("stays flat for a flat map, and reports NaN", async () => {
    const [[, geometry, grid] = []] = sizes;
    if (geometry === undefined || grid === undefined) throw new Error("no size");
    const values = new Float32Array(grid.width * grid.height).fill(0.1);
    const flat = (await painted(scales[0] as Scaled, geometry, { values, grid, input }, null)).got;
    expect([flat.min, flat.max, differing(flat.picture)]).toEqual([Math.fround(0.1), Math.fround(0.1), 1]);
    const none = { values: values.fill(Number.NaN), grid, input };
    const { got } = await painted(scales[0] as Scaled, geometry, none, null);
    expect([got.min, got.max, differing(got.picture)]).toEqual([Number.NaN, Number.NaN, 1]);
    expect(got.hasNan.depth).toBe(true);
  });
});

function depth(result: { kind: string }): DepthResult {
  if (result.kind !== "depth") throw new Error(`a ${result.kind} result`);
  return result as DepthResult;
}

function drawn(colors: ImageBitmap | null): ImageData {
  if (colors === null) throw new Error("no colours");
  const context = new OffscreenCanvas(colors.width, colors.height).getContext("2d");
  context?.drawImage(colors, 0, 0);
  const data = context?.getImageData(0, 0, colors.width, colors.height);
  if (data === undefined) throw new Error("no canvas");
  return data;
}

const byGpu = { path: "gpu", reason: "the GPU gives a depth map the same colours as the CPU" };

describe.runIf(hasWebgpu)("a model of a depth map", () => {
  const onGpu = sharedTiny({ backend: "webgpu" }, "depths.json");
  const onCpu = sharedTiny({ backend: "webgpu", processing: "cpu" }, "depths.json");

  test("is coloured on the GPU as on the CPU, and says where", async () => {
    const file = await picture("upright.png");
    const asked: RunOptions = { depth: "colors" };
    const [got, want] = [depth(await onGpu().run(file, asked)), depth(await onCpu().run(file, asked))];
    expect(got.postprocess).toEqual(byGpu);
    expect(onGpu().info().postprocess).toEqual(byGpu);
    expect(want.postprocess).toEqual({ path: "cpu", reason: 'processing "cpu" was requested' });
    const [mine, theirs] = [drawn(got.colors), drawn(want.colors)];
    expect([mine.width, mine.height]).toEqual([40, 24]);
    expect(maxLevelDifference(theirs.data, mine.data)).toBeLessThanOrEqual(1);
    expect(new Set(new Uint32Array(mine.data.buffer)).size).toBeGreaterThan(100);
    expect([got.min, got.max].map((end) => end.toFixed(4))).toEqual(
      [want.min, want.max].map((end) => end.toFixed(4)),
    );
    for (const result of [got, want]) {
      expect(result).toMatchObject({ depth: null, confidence: null, map: null, warnings: [] });
      expect([result.near, result.far]).toEqual([result.max, result.min]);
    }
  });

  test("gives the requested numbers from the same map", async () => {
    const file = await picture("upright.png");
    const whole = depth(await onGpu().run(file));
    expect(whole.postprocess).toEqual({ path: "cpu", reason: "no colours were requested" });
    expect([whole.depth?.length, whole.confidence?.length]).toEqual([960, 960]);
    expect([whole.map, whole.colors]).toEqual([null, null]);
    const both = depth(
      await onGpu().run(file, { depth: ["values", "map", "colors"], confidenceAlpha: true }),
    );
    expect(both.postprocess).toEqual(byGpu);
    expect([both.depth, both.confidence]).toEqual([whole.depth, whole.confidence]);
    expect(new Set(drawn(both.colors).data.filter((_, at) => at % 4 === 3)).size).toBeGreaterThan(10);
    const map = depth(await onGpu().run(file, { depth: ["map", "colors"] }));
    expect([map.depth, map.map?.values.length]).toEqual([null, 900]);
    const places = [0, 333, 959].map((at) => depthAt(map, at % 40, Math.floor(at / 40)));
    expect(places).toEqual([0, 333, 959].map((at) => whole.depth?.[at]));
  });

  test("is coloured on WASM if its run is repeated there", async () => {
    const file = await picture("upright.png");
    const asked: RunOptions = { depth: ["colors", "map"] };
    const usual = depth(await onGpu().run(file, asked));
    const again = depth(await onGpu().run(file, { ...asked, confidence: 0.9 }));
    expect(again).toMatchObject({
      fallback: { target: "wasm" },
      postprocess: { path: "cpu", reason: "the run was repeated elsewhere" },
      depth: null,
    });
    expect(maxLevelDifference(drawn(usual.colors).data, drawn(again.colors).data)).toBeLessThanOrEqual(1);
    expect(again.map?.values.length).toBe(900);
  });

  test("refuses impossible options before anything runs", async () => {
    const file = await picture("upright.png");
    const odd = { depth: "depth" } as unknown as RunOptions;
    await expect(onGpu().run(file, odd)).rejects.toMatchObject({ code: "invalid-option" });
  });
});

describe.runIf(hasWebgpu)("a model of a depth map, alone in its worker,", () => {
  test("colours on the CPU if the GPU gives other colours", async () => {
    await withWorker("worker-misfeeding.js?color=dark", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "depths.json");
      const reason = expect.stringMatching(/^the GPU does not colour a depth map as the CPU does: .* levels/);
      expect(model.info().postprocess).toMatchObject({ path: "cpu", reason });
      const result = depth(await model.run(await picture("upright.png"), { depth: "colors" }));
      expect(result.postprocess).toMatchObject({ path: "cpu", reason });
      expect(drawn(result.colors).width).toBe(40);
    });
  });

  test("is run again if the GPU is lost during colouring, and gives the requested outputs", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "depths.json");
      const file = await picture("upright.png");
      const asked: RunOptions = { depth: ["colors", "map"] };
      const want = drawn(depth(await model.run(file, asked)).colors);
      await loseAt(16);
      const got = depth(await model.run(file, asked));
      expect(started()).toBe(2);
      expect(drawn(got.colors)).toEqual(want);
      expect([got.depth, got.map?.columns]).toEqual([null, 30]);
    });
  });

  test("reads back its colours and nothing else", async () => {
    await withWorker("worker-measured.js", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "depths.json");
      const frame = new OffscreenCanvas(1280, 720);
      frame.getContext("2d")?.fillRect(0, 0, 400, 300);
      const bytes: number[] = [];
      for (const part of ["values", "map", "colors"] as const) {
        const before = await readBack();
        await model.run(frame, { depth: part });
        bytes.push((await readBack()) - before);
      }
      const [map, status, statistics] = [30 * 30 * 4, 16, 5 * 4];
      console.info(`read back of 1280 x 720: values, map, colors ${bytes.join(", ")} B`);
      expect(bytes).toEqual([2 * map, map, 1280 * 720 * 4 + statistics].map((sum) => sum + status));
    });
  });
});
