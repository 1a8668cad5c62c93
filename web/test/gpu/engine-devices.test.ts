import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EngineDevices } from "../../src/gpu/engine-devices.js";
import { requestDevice } from "../../src/gpu/gpu-device.js";
import { hasWebgpu } from "../support/bundle.js";

const REQUEST = { requiredLimits: { maxBindGroups: 4 } };

describe.runIf(hasWebgpu)("the engine's device", () => {
  let made: GPUDevice[];
  let taken: GPUDevice[];
  let devices: EngineDevices;

  beforeEach(() => {
    [made, taken] = [[], []];
    devices = new EngineDevices(
      (device) => made.push(device),
      (device) => taken.push(device),
    );
  });

  afterEach(() => {
    GPUAdapter.prototype.requestDevice = requestDevice;
    for (const device of made) device.destroy();
  });

  /** Requests a device as the engine does. */
  async function ask(request: GPUDeviceDescriptor): Promise<GPUDevice> {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    return adapter.requestDevice(request);
  }

  test("is created before the engine requests it, and given to it", async () => {
    devices.createEarly(REQUEST);
    await expect.poll(() => made.length).toBe(1);
    expect(taken).toEqual([]);
    expect(await ask(REQUEST)).toBe(made[0]);
    expect(taken).toEqual(made);
    expect(devices.request).toEqual(REQUEST);
  });

  test("is given out once", async () => {
    devices.createEarly(REQUEST);
    const both = [await ask(REQUEST), await ask(REQUEST)];
    expect(new Set(both).size).toBe(2);
    expect(taken).toEqual(both);
  });

  test("is another one if the engine requests other features; the early one is destroyed", async () => {
    devices.createEarly(REQUEST);
    await expect.poll(() => made.length).toBe(1);
    const other = await ask({});
    expect(other).not.toBe(made[0]);
    expect(await made[0]?.lost).toMatchObject({ reason: "destroyed" });
    expect(taken).toEqual([other]);
  });

  test("is created again if the early one was lost or refused", async () => {
    devices.createEarly(REQUEST);
    await expect.poll(() => made.length).toBe(1);
    made[0]?.destroy();
    await made[0]?.lost;
    expect(taken).not.toContain(made[0]);
    expect(await ask(REQUEST)).toBe(made[1]);
    const others = new EngineDevices(
      () => {},
      () => {},
    );
    others.createEarly({ requiredLimits: { maxBindGroups: 1e6 } });
    await expect(ask(REQUEST)).resolves.toBeInstanceOf(GPUDevice);
  });

  test("is not created early for a second model", async () => {
    await ask({});
    devices.createEarly(REQUEST);
    await ask(REQUEST);
    expect(made.length).toBe(2);
    expect(taken).toEqual(made);
  });
});
