import { expect, test, vi } from "vitest";
import { hasWebgpu } from "../support/bundle.js";

test.runIf(hasWebgpu)("a device that the browser never returns is not waited for without end", async () => {
  const adapter = await navigator.gpu.requestAdapter();
  const { requestDevice } = GPUAdapter.prototype;
  GPUAdapter.prototype.requestDevice = () => new Promise(() => {});
  vi.useFakeTimers();
  try {
    const { EngineDevices } = await import("../../src/gpu/engine-devices.js");
    new EngineDevices(vi.fn(), vi.fn());
    const refused = expect(adapter?.requestDevice()).rejects.toThrow("did not answer within 30 s");
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
  } finally {
    vi.useRealTimers();
    GPUAdapter.prototype.requestDevice = requestDevice;
  }
});
