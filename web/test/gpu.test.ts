import { describe, expect, test } from "vitest";
import { GpuErrors } from "../src/gpu.js";
import { hasWebgpu } from "./bundle.js";

// Not both at once.
const MAP_READ = 1;
const MAP_WRITE = 2;

async function device(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error("no WebGPU adapter");
  return adapter.requestDevice();
}

describe.runIf(hasWebgpu)("errors of the GPU device", () => {
  test("none at first", async () => {
    const errors = new GpuErrors(await device());
    expect(errors.take()).toBeNull();
  });

  test("one that nobody caught is told once", async () => {
    const gpu = await device();
    const errors = new GpuErrors(gpu);
    gpu.addEventListener("uncapturederror", (event) => event.preventDefault());
    gpu.createBuffer({ size: 16, usage: MAP_READ | MAP_WRITE });
    await gpu.queue.onSubmittedWorkDone();
    expect(errors.take()).toMatchObject({ code: "gpu-error", message: expect.stringContaining("refused") });
    expect(errors.take()).toBeNull();
  });

  test("a lost device stays lost", async () => {
    const gpu = await device();
    const errors = new GpuErrors(gpu);
    gpu.destroy();
    await gpu.lost;
    expect(errors.take()).toMatchObject({ code: "gpu-error", message: expect.stringContaining("lost") });
    expect(errors.take()).toMatchObject({ code: "gpu-error" });
  });
});
