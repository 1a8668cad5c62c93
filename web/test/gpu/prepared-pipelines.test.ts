import { describe, expect, test } from "vitest";
import { type PipelineSource, recordPipelines } from "../../src/gpu/pipeline-use.js";
import { PreparedPipelines } from "../../src/gpu/prepared-pipelines.js";
import { hasWebgpu } from "../support/bundle.js";

const STORAGE = 0x80 | 0x04; // STORAGE | COPY_SRC
const READ = 0x01 | 0x08; // MAP_READ | COPY_DST
const COMPUTE = 0x4;

const shader = (value: number): string =>
  `@group(0) @binding(0) var<storage, read_write> y: array<u32>; @compute @workgroup_size(1) fn main() { y[0] = ${value}u; }`;
const ENTRY: GPUBindGroupLayoutEntry = { binding: 0, visibility: COMPUTE, buffer: { type: "storage" } };
const source = (value: number): PipelineSource => ({
  code: shader(value),
  entryPoint: "main",
  groups: [[ENTRY]],
});

interface Watched {
  device: GPUDevice;
  /** Returns the number of compiled pipelines. */
  compiled: () => number;
}

async function watched(pipelines: PreparedPipelines): Promise<Watched> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error("no WebGPU adapter");
  const device = await adapter.requestDevice();
  let count = 0;
  const { createComputePipelineAsync } = device;
  device.createComputePipelineAsync = (given) => {
    count++;
    return createComputePipelineAsync.call(device, given);
  };
  pipelines.watch(device);
  return { device, compiled: () => count };
}

/** Requests a pipeline as the engine does. */
function made(device: GPUDevice, code: string, layout?: "auto"): Promise<GPUComputePipeline> {
  const group = device.createBindGroupLayout({ entries: [ENTRY] });
  return device.createComputePipelineAsync({
    layout: layout ?? device.createPipelineLayout({ bindGroupLayouts: [group] }),
    compute: { module: device.createShaderModule({ code }), entryPoint: "main" },
  });
}

/** Runs a pipeline as the engine does, and returns its output. */
async function run(device: GPUDevice, pipeline: GPUComputePipeline): Promise<number> {
  const buffer = device.createBuffer({ size: 4, usage: STORAGE });
  const read = device.createBuffer({ size: 4, usage: READ });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer } }];
  pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
  pass.dispatchWorkgroups(1);
  pass.end();
  encoder.copyBufferToBuffer(buffer, 0, read, 0, 4);
  device.queue.submit([encoder.finish()]);
  await read.mapAsync(1);
  return new Uint32Array(read.getMappedRange())[0] ?? -1;
}

async function written(device: GPUDevice, code: string, layout?: "auto"): Promise<number> {
  return run(device, await made(device, code, layout));
}

describe.runIf(hasWebgpu)("prepared pipelines", () => {
  test("are compiled once, before the engine requests them, and compute the same", async () => {
    const pipelines = new PreparedPipelines();
    pipelines.prepare([source(7), source(8)]);
    const { device, compiled } = await watched(pipelines);
    expect(compiled()).toBe(2);
    expect(await written(device, shader(8))).toBe(8);
    expect(await written(device, shader(7))).toBe(7);
    expect(compiled()).toBe(2);
  });

  test("are compiled on an existing device", async () => {
    const pipelines = new PreparedPipelines();
    const { device, compiled } = await watched(pipelines);
    pipelines.prepare([source(7)]);
    expect(await written(device, shader(7))).toBe(7);
    expect(compiled()).toBe(1);
  });

  test("another shader or layout is compiled on request", async () => {
    const pipelines = new PreparedPipelines();
    pipelines.prepare([
      source(7),
      { ...source(9), groups: [[{ ...ENTRY, buffer: { type: "read-only-storage" } }]] },
    ]);
    const { device, compiled } = await watched(pipelines);
    expect(await written(device, shader(6))).toBe(6);
    expect(await written(device, shader(9))).toBe(9);
    expect(await written(device, shader(7), "auto")).toBe(7);
    expect(compiled()).toBe(5);
  });

  test("a pipeline that is requested twice is compiled once, prepared or not", async () => {
    const pipelines = new PreparedPipelines();
    pipelines.prepare([source(7)]);
    const { device, compiled } = await watched(pipelines);
    for (const value of [7, 5, 7, 5]) expect(await written(device, shader(value))).toBe(value);
    pipelines.prepare([source(5), source(7)]);
    expect(compiled()).toBe(2);
  });

  test("the pipelines used now are the ones prepared on the next visit", async () => {
    const { device } = await watched(new PreparedPipelines());
    await written(device, shader(3));
    await recordPipelines(async (used) => {
      expect(used()).toEqual([]);
      await written(device, shader(5));
      await written(device, shader(7));
      await written(device, shader(5));
      await written(device, shader(4), "auto");
      expect(used()).toEqual([source(5), source(7)]);
    });
  });

  test("a pipeline that two models of a device use is in both lists, though the engine requests it once", async () => {
    const { device } = await watched(new PreparedPipelines());
    const both = await made(device, shader(5));
    const first = await recordPipelines(async (used) => {
      await run(device, both);
      return used();
    });
    const second = await recordPipelines(async (used) => {
      await run(device, both);
      await written(device, shader(6));
      return used();
    });
    expect([first, second]).toEqual([[source(5)], [source(5), source(6)]]);
  });

  test("failed work leaves nothing behind", async () => {
    const { setPipeline } = GPUComputePassEncoder.prototype;
    const failing = recordPipelines(() => Promise.reject(new Error("no session")));
    await expect(failing).rejects.toThrow("no session");
    expect(GPUComputePassEncoder.prototype.setPipeline).toBe(setPipeline);
  });

  test("a model that is loaded again on a device compiles nothing", async () => {
    const pipelines = new PreparedPipelines();
    const { device, compiled } = await watched(pipelines);
    for (let loads = 0; loads < 3; loads++) pipelines.prepare([source(7), source(8)]);
    expect(compiled()).toBe(2);
    const kept = await made(device, shader(7));
    pipelines.prepare([source(7), source(8)]);
    expect(compiled()).toBe(2);
    expect(await run(device, kept)).toBe(7);
    expect(await written(device, shader(8))).toBe(8);
    expect(compiled()).toBe(2);
  });

  test("a pipeline that the adapter refuses is no error", async () => {
    const pipelines = new PreparedPipelines();
    pipelines.prepare([{ ...source(7), code: "no shader" }, source(8)]);
    const { device } = await watched(pipelines);
    const errors: string[] = [];
    device.addEventListener("uncapturederror", ({ error }) => errors.push(error.message));
    expect(await written(device, shader(8))).toBe(8);
    expect(errors).toEqual([]);
  });

  test("an invalid source is skipped, with no error and no open error scope", async () => {
    const pipelines = new PreparedPipelines();
    const broken = { ...source(7), groups: [[{ binding: "none" }]] } as unknown as PipelineSource;
    pipelines.prepare([null as unknown as PipelineSource, broken, source(8)]);
    const { device, compiled } = await watched(pipelines);
    expect(compiled()).toBe(1);
    expect(await written(device, shader(8))).toBe(8);
    await expect(device.popErrorScope()).rejects.toThrow();
  });
});
