import { beforeAll, describe, expect, test } from "vitest";
import type { Result } from "../../src/index.js";
import type { ImageSegmentationTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeRegions, type Regions } from "../../src/tasks/image-segmentation/decode-regions.js";
import { GpuArgmax } from "../../src/tasks/image-segmentation/gpu/gpu-argmax.js";
import { gpuRefusal, regionsOnGpu } from "../../src/tasks/image-segmentation/gpu/regions.js";
import { hasWebgpu, loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";
import { loseAt, losing } from "../support/device-loss.js";

interface Case {
  task: ImageSegmentationTask;
  letterbox: Geometry;
  input: { width: number; height: number };
  masks: string[][];
  scores: number[][] | null;
  want: { map: string[]; regions: Regions["regions"] };
  tolerance: number;
}

const cases = casesOf<Case>("image-segmentation").filter(([, { task }]) => gpuRefusal(task) === null);

function segmentation(result: Result): Extract<Result, { kind: "image-segmentation" }> {
  if (result.kind !== "image-segmentation") throw new Error(`a ${result.kind} result`);
  return result;
}

describe.runIf(hasWebgpu)("regions that are computed on the GPU", () => {
  let device: GPUDevice;
  let contest: GpuArgmax;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    contest = await GpuArgmax.open(device);
  });

  async function decided({ task, letterbox, input, masks, scores }: Case, values: number[]) {
    const data = Float32Array.from(values);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: data.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, data);
    const cells = { width: masks[0]?.[0]?.split(" ").length ?? 0, height: masks[0]?.length ?? 0 };
    const flat = scores && Float32Array.from(scores.flat());
    const maps = { buffer, cells, input, raw: true };
    return regionsOnGpu(contest, task, letterbox, { maps, count: masks.length, scores: flat });
  }

  function valuesOf({ masks }: Case): number[] {
    return masks.flat().flatMap((row) => row.split(" ").map(Number));
  }

  test.each(cases)("equal those of %s", async (_, each) => {
    const { regions, map, hasNan } = await decided(each, valuesOf(each));
    const { width, height } = each.letterbox.source;
    const lines = Array.from({ length: height }, (_, y) => map.subarray(y * width, (y + 1) * width).join(""));
    expect(lines).toEqual(each.want.map);
    expect(regions.map(({ score, ...region }) => region)).toEqual(
      each.want.regions.map(({ score, ...region }) => region),
    );
    for (const [index, { score }] of each.want.regions.entries())
      if (score !== null)
        expect(Math.abs((regions[index]?.score ?? Number.NaN) - score)).toBeLessThanOrEqual(each.tolerance);
    expect(hasNan).toBe(false);
  });

  test.each([255, 256, 300])(
    "equal the CPU's, with %s classes: more than a byte can index",
    async (count) => {
      const [, each] = cases.find(([, { scores }]) => scores === null) ?? [];
      if (each === undefined) throw new Error("no case of class maps");
      const cells = { width: 5, height: 4 };
      const classes = Array.from({ length: count }, (_, index) => `class ${index}`);
      const task = { ...each.task, classes };
      // The last maps win on the right.
      const values = classes.flatMap((_, map) =>
        Array.from({ length: 20 }, (_, cell) => (cell % 5 === 4 ? map : -map) + Math.random() / 4),
      );
      const masks = Float32Array.from(values);
      const letterbox = { source: { width: 23, height: 7 }, left: 0, top: 0, ...each.input };
      const buffer = device.createBuffer({
        size: masks.byteLength,
        usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST,
      });
      device.queue.writeBuffer(buffer, 0, masks);
      const maps = { buffer, cells, input: each.input, raw: true };
      const got = await regionsOnGpu(contest, task, letterbox, { maps, count, scores: null });
      const want = decodeRegions(task, letterbox, { masks, scores: null, grid: cells, input: each.input });
      expect(got.regions).toEqual(want.regions);
      expect(got.map).toEqual(want.map);
      expect(want.regions.at(-1)?.classIndex).toBe(count - 1);
    },
  );

  test("report NaN, and constant maps", async () => {
    const [, each] = cases.find(([, { scores }]) => scores === null) ?? [];
    if (each === undefined) throw new Error("no case of masks by class");
    const values = valuesOf(each);
    expect(await decided(each, values)).toMatchObject({ hasNan: false, isFlat: false });
    expect(await decided(each, values.with(0, Number.NaN))).toMatchObject({ hasNan: true });
    expect(await decided(each, values.fill(2))).toMatchObject({ hasNan: false, isFlat: true });
  });
});

describe.runIf(hasWebgpu)("a model of regions", () => {
  const onGpu = sharedTiny({ backend: "webgpu" }, "regions.json");
  const onCpu = sharedTiny({ backend: "webgpu", processing: "cpu" }, "regions.json");

  test("computes regions on the GPU as on the CPU, and says where", async () => {
    const file = await picture("upright.png");
    const [got, want] = [segmentation(await onGpu().run(file)), segmentation(await onCpu().run(file))];
    expect(got.postprocess).toMatchObject({ path: "gpu" });
    expect(onGpu().info().postprocess).toEqual(got.postprocess);
    expect(want.postprocess).toEqual({ path: "cpu", reason: 'processing "cpu" was requested' });
    expect(want.regions.length).toBeGreaterThan(1);
    expect(got.regions.map(({ label }) => label)).toEqual(want.regions.map(({ label }) => label));
    const other = got.map.filter((number, at) => number !== want.map[at]).length;
    expect(other / want.map.length).toBeLessThan(0.01);
    expect(got.warnings).toEqual([]);
  });

  test("gives its raw outputs when tensors are requested", async () => {
    const image = await onGpu().preprocess(await picture("upright.png"));
    const [got, want] = [await onGpu().runTensors({ image }), await onCpu().runTensors({ image })];
    expect(got.y?.data).toEqual(want.y?.data);
  });
});

describe.runIf(hasWebgpu)("a model of regions, alone in its worker,", () => {
  test("computes regions on the CPU if the GPU gives other ones", async () => {
    await withWorker("worker-misfeeding.js?judge=last", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "regions.json");
      const { postprocess } = await model.run(await picture("upright.png"));
      expect(postprocess).toMatchObject({ path: "cpu", reason: expect.stringMatching(/\d+ % of a picture/) });
    });
  });

  test("is run again if the GPU is lost while it computes regions", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "regions.json");
      const file = await picture("upright.png");
      const { regions } = segmentation(await model.run(file));
      for (const at of [10, 16]) {
        await loseAt(at);
        expect(segmentation(await model.run(file)).regions).toEqual(regions);
      }
      expect(started()).toBeGreaterThan(1);
    });
  });
});
