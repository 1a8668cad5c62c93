import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DeviceErrors } from "../../src/gpu/device-errors.js";
import { hasWebgpu } from "../support/bundle.js";

// A buffer must not have both usages.
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
  test("there are none at first", async () => {
    const errors = watching(await device());
    expect(errors.take()).toBeNull();
  });

  test("an uncaught error is reported once", async () => {
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

  test("work on a lost device does not wait forever", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    const forEver = errors.guard(() => new Promise(() => {}));
    gpu.destroy();
    await expect(forEver).rejects.toMatchObject({ code: "device-lost" });
    await expect(errors.guard(() => Promise.resolve("work"))).rejects.toMatchObject({ code: "device-lost" });
  });

  test("an out-of-memory error is distinguished from others", async () => {
    const gpu = await device();
    const errors = watching(gpu);
    const out = new GPUUncapturedErrorEvent("uncapturederror", { error: new GPUOutOfMemoryError("full") });
    gpu.dispatchEvent(out);
    expect(errors.take()).toMatchObject({ code: "out-of-memory", message: expect.stringContaining("full") });
  });
});

/** A device that is lost after some milliseconds, and finishes its commands after others; null for never. */
function slowDevice(lost: number | null, done: number | null): GPUDevice {
  const after = <T>(milliseconds: number | null, value: T): Promise<T> =>
    new Promise((resolve) => milliseconds !== null && setTimeout(() => resolve(value), milliseconds));
  const fields = {
    lost: after(lost, { reason: "destroyed", message: "" }),
    queue: { onSubmittedWorkDone: () => after(done, undefined) },
  };
  return Object.assign(new EventTarget(), fields) as unknown as GPUDevice;
}

test.each([
  ["that is lost a while after its commands fail, as in Firefox", 160, 150, { code: "device-lost" }],
  ["that is not lost", null, 300, { message: "Invalid buffer" }],
  ["that answers nothing any more", null, null, { message: "Invalid buffer" }],
])("work that fails on a device %s", async (_, lost, done, error) => {
  const work = watching(slowDevice(lost, done)).guard(() => Promise.reject(new Error("Invalid buffer")));
  await expect(work).rejects.toMatchObject(error);
});

test("a command refused because the device is lost is reported as the loss", async () => {
  const gpu = slowDevice(160, 150);
  const errors = watching(gpu);
  const error = new GPUValidationError("Buffer is invalid");
  gpu.dispatchEvent(new GPUUncapturedErrorEvent("uncapturederror", { error }));
  expect(await errors.takeCause()).toMatchObject({ code: "device-lost" });
});

test.each([
  ["Firefox/153.0", true],
  ["Chrome/156.0.0.0", false],
])("work on a device that reports its loss only when it gets commands, in %s", async (browser, ends) => {
  vi.spyOn(navigator, "userAgent", "get").mockReturnValue(browser);
  onTestFinished(() => void vi.restoreAllMocks());
  const gpu = slowDevice(null, null);
  const submit = vi.fn();
  const done = new Promise<string>((resolve) => submit.mockImplementation(() => resolve("done")));
  Object.assign(gpu.queue, { submit });
  const limit = (): Promise<string> => new Promise((resolve) => setTimeout(() => resolve("not done"), 500));
  const work = watching(gpu).guard(() => Promise.race([done, limit()]));
  expect(await work).toBe(ends ? "done" : "not done");
  submit.mockClear();
  await limit();
  expect(submit).not.toHaveBeenCalled();
});
