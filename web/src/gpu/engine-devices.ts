// Handles the engine's calls of requestDevice(). On a later visit the descriptor is known. The device is then
// created early, and compiles pipelines while the engine still downloads.

import { createDevice, requestAdapter } from "./gpu-device.js";

/** The descriptor that the engine passes to requestDevice(). */
export type DeviceRequest = GPUDeviceDescriptor;

/** A device that was created before the engine requested it; `key` is its descriptor as JSON. */
interface EarlyDevice {
  key: string;
  device: Promise<GPUDevice>;
  lost: boolean;
}

export class EngineDevices {
  readonly #onCreated: (device: GPUDevice) => void;
  readonly #onTaken: (device: GPUDevice) => void;
  #early: EarlyDevice | null = null;
  #request: DeviceRequest | null = null;

  /** `onCreated` is called for every device as soon as it exists, `onTaken` when the engine gets it. */
  constructor(onCreated: (device: GPUDevice) => void, onTaken: (device: GPUDevice) => void) {
    this.#onCreated = onCreated;
    this.#onTaken = onTaken;
    if (typeof GPUAdapter === "undefined") return;
    const answer = (adapter: GPUAdapter, request?: DeviceRequest): Promise<GPUDevice> =>
      this.#answer(adapter, request);
    GPUAdapter.prototype.requestDevice = function (request) {
      return answer(this, request);
    };
  }

  /** The engine's last descriptor, null before it has requested a device. */
  get request(): DeviceRequest | null {
    return this.#request;
  }

  /** Creates the device that the engine will request. If it requests another, this one is destroyed. */
  createEarly(request: DeviceRequest): void {
    if (this.#early !== null || this.#request !== null) return;
    const create = async (): Promise<GPUDevice> => {
      const adapter = await requestAdapter(navigator.gpu);
      if (adapter === null) throw new Error("no adapter");
      return this.#create(adapter, request);
    };
    const early: EarlyDevice = { key: JSON.stringify(request), device: create(), lost: false };
    const markLost = (): void => {
      early.lost = true;
    };
    early.device.then(({ lost }) => lost).then(markLost, markLost);
    this.#early = early;
  }

  async #answer(adapter: GPUAdapter, request: DeviceRequest = {}): Promise<GPUDevice> {
    this.#request = request;
    const device = (await this.#takeEarly(request)) ?? (await this.#create(adapter, request));
    this.#onTaken(device);
    return device;
  }

  async #create(adapter: GPUAdapter, request: DeviceRequest): Promise<GPUDevice> {
    const device = await createDevice(adapter, request);
    this.#onCreated(device);
    return device;
  }

  /** Returns the early device; null if there is none, it has another descriptor, or it is lost. */
  async #takeEarly(request: DeviceRequest): Promise<GPUDevice | null> {
    const early = this.#early;
    this.#early = null;
    const device = await early?.device.catch(() => null);
    if (early === null || !device) return null;
    if (!early.lost && early.key === JSON.stringify(request)) return device;
    device.destroy();
    return null;
  }
}
