import { describe, expect, test } from "vitest";
import { DeviceErrors } from "../../src/gpu/device-errors.js";
import { hasWebgpu } from "../support/bundle.js";

// Not both at once.
const MAP_READ = 1;
const MAP_WRITE = 2;

async function device(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error("no WebGPU adapter");
  return adapter.requestDevice();
}

function watching(gpu: GPUDevice): DeviceErrors {
  const errors = new DeviceErrors();
  errors.watch(gpu);
  return errors;
}

describe.runIf(hasWebgpu)("errors of the GPU device", () => {
  test("none at first", async () => {
    const errors = watching(await device());
    expect(errors.take()).toBeNull();
  });

  test("one that nobody caught is told once", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    gpu.addEventListener("uncapturederror", (event) => event.preventDefault());
    gpu.createBuffer({ size: 16, usage: MAP_READ | MAP_WRITE });
    await gpu.queue.onSubmittedWorkDone();
    expect(errors.take()).toMatchObject({ code: "gpu-error", message: expect.stringContaining("rejected") });
    expect(errors.take()).toBeNull();
  });

  test("a lost device stays lost", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    gpu.destroy();
    await gpu.lost;
    expect(errors.take()).toMatchObject({ code: "device-lost", message: expect.stringContaining("lost") });
    expect(errors.take()).toMatchObject({ code: "device-lost" });
  });

  test("work that waits for a device that is lost does not wait for ever", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    const forEver = errors.guard(() => new Promise(() => {}));
    gpu.destroy();
    await expect(forEver).rejects.toMatchObject({ code: "device-lost" });
    await expect(errors.guard(() => Promise.resolve("work"))).rejects.toMatchObject({ code: "device-lost" });
  });

  test("a command that asks for too much memory is told apart", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    const out = new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUOutOfMemoryError("full") });
    gpu.dispatchEvent(out);
    expect(errors.take()).toMatchObject({ code: "out-of-memory", message: expect.stringContaining("full") });
  });
});
