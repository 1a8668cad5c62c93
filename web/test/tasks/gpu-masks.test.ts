import { beforeAll, describe, expect, test } from "vitest";
import type { Mask, Result } from "../../src/index.js";
import type { SegmentTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeSegments } from "../../src/tasks/segment/decode-segments.js";
import { MaskAssembler } from "../../src/tasks/segment/gpu/mask-assembler.js";
import { segmentsOnGpu } from "../../src/tasks/segment/gpu/segments.js";
import { hasWebgpu, loadTiny, picture, sharedTiny, withWorker } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";
import { loseAt, losing } from "../support/device-loss.js";

interface Case {
  task: SegmentTask;
  input: { width: number; height: number };
  letterbox: Geometry;
  rows: number[][];
  protos: number[][][];
}

/** float32 sums lose what float64 keeps: such a pixel may be on either side. */
const cases = casesOf<Case>("segment").filter(([name]) => !name.startsWith("summed-in-float64"));

type Segments = Extract<Result, { kind: "segment" }>;

function segments(result: Result): Segments {
  if (result.kind !== "segment") throw new Error(`a ${result.kind} result`);
  return result;
}

const masks = (result: Segments): Mask[] => result.segments.map(({ mask }) => mask);

describe.runIf(hasWebgpu)("masks that are made on the GPU", () => {
  let device: GPUDevice;
  let cutter: MaskAssembler;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    cutter = await MaskAssembler.open(device);
  });

  async function cut({ task, input, letterbox, rows, protos }: Case, elements: Float32Array<ArrayBuffer>) {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ size: elements.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, elements);
    const grid = { width: protos[0]?.[0]?.length ?? 0, height: protos[0]?.length ?? 0 };
    const values = Float32Array.from(rows.flat());
    const want = decodeSegments(task, letterbox, values, { protos: elements, grid, input });
    return { got: await segmentsOnGpu(cutter, task, letterbox, values, { buffer, grid, input }), want };
  }

  const elementsOf = ({ protos }: Case): Float32Array<ArrayBuffer> => Float32Array.from(protos.flat(2));

  test("are of enough cases", () => expect(cases.length).toBeGreaterThan(8));

  test.each(cases)("equal those of %s", async (_, each) => {
    const { got, want } = await cut(each, elementsOf(each));
    expect(got.segments).toEqual(want);
    expect(got.hasNan).toBe(false);
  });

  test("report NaN prototypes, and constant ones", async () => {
    const [, each] = cases.find(([name]) => name.startsWith("coarse-grid")) ?? [];
    if (each === undefined) throw new Error("no case of a coarse grid");
    const elements = elementsOf(each);
    expect((await cut(each, elements)).got).toMatchObject({ hasNan: false, isFlat: false });
    const broken = await cut(each, elements.with(1, Number.NaN));
    expect(broken.got).toMatchObject({ hasNan: true, segments: broken.want });
    expect((await cut(each, elements.fill(2))).got).toMatchObject({ hasNan: false, isFlat: true });
  });
});

describe.runIf(hasWebgpu)("a model of objects and their masks", () => {
  const onGpu = sharedTiny({ backend: "webgpu" }, "segments.json");
  const onCpu = sharedTiny({ backend: "webgpu", processing: "cpu" }, "segments.json");

  test("makes masks on the GPU as on the CPU, and says where", async () => {
    const file = await picture("upright.png");
    const [got, want] = [segments(await onGpu().run(file)), segments(await onCpu().run(file))];
    expect(got.postprocess).toEqual({ path: "gpu", reason: "the GPU cuts the same masks as the CPU" });
    expect(onGpu().info().postprocess).toEqual(got.postprocess);
    expect(want.postprocess).toEqual({ path: "cpu", reason: 'processing "cpu" was requested' });
    const [mine, theirs] = [masks(got), masks(want)];
    expect(mine.map(({ data, ...rest }) => [rest, data.length])).toEqual(
      theirs.map(({ data, ...rest }) => [rest, data.length]),
    );
    const pixels = theirs.flatMap(({ data }) => [...data]);
    const other = mine.flatMap(({ data }) => [...data]).filter((pixel, at) => pixel !== pixels[at]).length;
    expect(other / pixels.length).toBeLessThan(0.01);
    const covered = pixels.filter((pixel) => pixel === 1).length / pixels.length;
    expect(Math.abs(covered - 0.5)).toBeLessThan(0.45);
    expect(got.warnings).toEqual([]);
  });

  test("makes masks on WASM if its run is repeated there", async () => {
    const file = await picture("upright.png");
    const got = segments(await onGpu().run(file, { confidence: 0.9 }));
    expect(got).toMatchObject({ fallback: { target: "wasm" }, postprocess: { path: "cpu" } });
    expect(masks(got)).toHaveLength(3);
    expect((await onGpu().run(file)).postprocess.path).toBe("gpu");
  });
});

describe.runIf(hasWebgpu)("a model of objects and their masks, alone in its worker,", () => {
  test("makes masks on the CPU if the GPU gives other ones", async () => {
    await withWorker("worker-misfeeding.js?cut=all", async () => {
      const model = await loadTiny({ backend: "webgpu" }, "segments.json");
      const { postprocess } = await model.run(await picture("upright.png"));
      expect(postprocess).toMatchObject({ path: "cpu", reason: expect.stringMatching(/\d+ % of a mask/) });
    });
  });

  test("is run again if the GPU is lost while it makes masks", async () => {
    await losing({}, async (started) => {
      const model = await loadTiny({ backend: "webgpu" }, "segments.json");
      const file = await picture("upright.png");
      const want = masks(segments(await model.run(file)));
      await loseAt(16);
      expect(masks(segments(await model.run(file)))).toEqual(want);
      expect(started()).toBe(2);
    });
  });
});
