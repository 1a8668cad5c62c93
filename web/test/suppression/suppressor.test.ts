import { beforeAll, describe, expect, test, vi } from "vitest";
import type { OrtWeb } from "../../src/engine/engine.js";
import type { Suppression } from "../../src/manifest/manifest.js";
import { Suppressor } from "../../src/suppression/suppressor.js";
import type { AnyTensors, GpuTensor } from "../../src/tensors/gpu-tensor.js";
import { hasWebgpu } from "../support/bundle.js";

const SPEC: Suppression = {
  outputs: [{ name: "found", dtype: "float32", shape: [1, 3, 2] }],
  boxes: "boxes",
  scores: "scores",
  rows: "rows",
  confidence: "confidence",
  iou: "iou",
  maxDetections: 2,
};
type Parts = Record<"boxes" | "scores" | "rows", [readonly number[], readonly number[]]>;
const PARTS: Parts = {
  boxes: [
    [4, 4],
    [0, 0, 10, 10, 1, 0, 11, 10, 20, 0, 30, 10, 40, 0, 50, 10],
  ],
  scores: [[4], [0.5, 0.75, 0.9, 0.1]],
  rows: [
    [4, 2],
    [1, 10, 2, 20, 3, 30, 4, 40],
  ],
};
const FEEDS: AnyTensors = {
  confidence: { type: "float32", dims: [1], data: Float32Array.of(0.25) },
  iou: { type: "float32", dims: [1], data: Float32Array.of(0.5) },
};
const WANT = { type: "float32", dims: [1, 3, 2], data: Float32Array.of(3, 30, 2, 20, 0, 0) };

const inMemory = (): AnyTensors =>
  Object.fromEntries(
    Object.entries(PARTS).map(([name, [dims, values]]) => [
      name,
      { type: "float32" as const, dims: [...dims], data: Float32Array.from(values) },
    ]),
  );

/** An engine that computes on this device. */
const engineOn = (device: GPUDevice | Promise<GPUDevice>): OrtWeb =>
  ({ env: { webgpu: { device } } }) as unknown as OrtWeb;

test("without a GPU the CPU suppresses boxes, with a reason", async () => {
  const suppressor = await Suppressor.open(engineOn(Promise.reject(new Error("no adapter"))), SPEC);
  expect(suppressor.route).toEqual({ path: "cpu", reason: expect.stringContaining("no adapter") });
  const other = { type: "float32" as const, dims: [1], data: Float32Array.of(7) };
  const found = await suppressor.apply({ ...inMemory(), protos: other }, FEEDS);
  expect(found).toEqual({ found: WANT, protos: other });
});

test("columns become several outputs with their types, including the number of kept boxes", async () => {
  const spec: Suppression = {
    ...SPEC,
    outputs: [
      { name: "places", dtype: "int64", shape: [3] },
      { name: "values", dtype: "float32", shape: [1, 3, 1] },
    ],
    rowCount: { name: "number", dtype: "int32", shape: [1] },
  };
  const suppressor = await Suppressor.open(engineOn(Promise.reject(new Error("no adapter"))), spec);
  expect(await suppressor.apply(inMemory(), FEEDS)).toEqual({
    places: { type: "int64", dims: [3], data: BigInt64Array.of(3n, 2n, 0n) },
    values: { type: "float32", dims: [1, 3, 1], data: Float32Array.of(30, 20, 0) },
    number: { type: "int32", dims: [1], data: Int32Array.of(2) },
  });
  expect(suppressor.rawOutputs(["number"])).toEqual(["boxes", "scores", "rows"]);
});

test("without thresholds every score is a candidate and every overlap too much", async () => {
  const spec = { ...SPEC, maxDetections: 3, confidence: null, iou: null };
  const suppressor = await Suppressor.open(engineOn(Promise.reject(new Error("no adapter"))), spec);
  const data = Float32Array.of(3, 30, 2, 20, 4, 40);
  expect(await suppressor.apply(inMemory(), {})).toEqual({ found: { ...WANT, data } });
});

test("graph outputs are requested for the wanted results", async () => {
  const suppressor = await Suppressor.open(engineOn(Promise.reject(new Error("no adapter"))), SPEC);
  expect(suppressor.rawOutputs(["found", "protos"])).toEqual(["protos", "boxes", "scores", "rows"]);
  expect(suppressor.rawOutputs(["protos"])).toEqual(["protos"]);
});

describe.runIf(hasWebgpu)("on the GPU", () => {
  let device: GPUDevice;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
  });

  /** Tensors with buffers on the device, or on another device that rejects them. */
  function onGpu(owner: GPUDevice, made: Parts = PARTS): Record<string, GpuTensor> {
    const entries = Object.entries(made).map(([name, [dims, values]]) => {
      const data = Float32Array.from(values);
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
      const buffer = owner.createBuffer({ size: data.byteLength, usage });
      owner.queue.writeBuffer(buffer, 0, data);
      const read = async () => ({ type: "float32" as const, dims: [...dims], data });
      return [name, { type: "float32", dims: [...dims], buffer, read, copy: read, release: vi.fn() }];
    });
    return Object.fromEntries(entries);
  }

  test("the shader suppresses boxes, and its inputs are released", async () => {
    const suppressor = await Suppressor.open(engineOn(device), SPEC);
    expect(suppressor.route.path).toBe("gpu");
    const parts = onGpu(device);
    expect(await suppressor.apply(parts, FEEDS)).toEqual({ found: WANT });
    for (const { release } of Object.values(parts)) expect(release).toHaveBeenCalledTimes(1);
  });

  test("rotated boxes have a separate shader", async () => {
    const suppressor = await Suppressor.open(engineOn(device), { ...SPEC, rotated: true, maxCandidates: 3 });
    expect(suppressor.route.path).toBe("gpu");
    const turned = [20, 20, 9, 5, 0, 90, 20, 9, 5, 1, 90, 20, 9, 5, 1.05, 60, 60, 9, 5, 0];
    const parts = onGpu(device, { ...PARTS, boxes: [[4, 5], turned] });
    expect(await suppressor.apply(parts, FEEDS)).toEqual({
      found: { ...WANT, data: Float32Array.of(3, 30, 1, 10, 0, 0) },
    });
  });

  test("if the GPU refuses, the CPU suppresses", async () => {
    const suppressor = await Suppressor.open(engineOn(device), SPEC);
    const adapter = await navigator.gpu.requestAdapter();
    const other = await adapter?.requestDevice();
    if (other === undefined) throw new Error("no second device");
    expect(await suppressor.apply(onGpu(other), FEEDS)).toEqual({ found: WANT });
  });
});
