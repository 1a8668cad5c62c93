// The devices that the engine asks for. On a later visit it is known with what it will ask, and the device is made, and
// compiles pipelines, while the engine still comes.

import { requestAdapter, requestDevice } from "./gpu-device.js";

/** What the engine asks an adapter for. */
export type DeviceRequest = GPUDeviceDescriptor;

interface EarlyDevice {
  key: string;
  device: Promise<GPUDevice>;
  lost: boolean;
}

export class EngineDevices {
  readonly #made: (device: GPUDevice) => void;
  readonly #taken: (device: GPUDevice) => void;
  #early: EarlyDevice | null = null;
  #request: DeviceRequest | null = null;

  /** `made` hears of every device as soon as there is one, `taken` when the engine has it. */
  constructor(made: (device: GPUDevice) => void, taken: (device: GPUDevice) => void) {
    this.#made = made;
    this.#taken = taken;
    if (typeof GPUAdapter === "undefined") return;
    const give = (adapter: GPUAdapter, request?: DeviceRequest): Promise<GPUDevice> =>
      this.#give(adapter, request);
    GPUAdapter.prototype.requestDevice = function (request) {
      return give(this, request);
    };
  }

  /** What the engine asked for last, null before it did. */
  get request(): DeviceRequest | null {
    return this.#request;
  }

  /** Makes the device that the engine will ask for. Where it asks for another, this one is destroyed. */
  makeEarly(request: DeviceRequest): void {
    if (this.#early !== null || this.#request !== null) return;
    const make = async (): Promise<GPUDevice> => {
      const adapter = await requestAdapter(navigator.gpu);
      if (adapter === null) throw new Error("no adapter");
      const device = await requestDevice.call(adapter, request);
      this.#made(device);
      return device;
    };
    const early: EarlyDevice = { key: JSON.stringify(request), device: make(), lost: false };
    const lose = (): void => {
      early.lost = true;
    };
    early.device.then(({ lost }) => lost).then(lose, lose);
    this.#early = early;
  }

  async #give(adapter: GPUAdapter, request: DeviceRequest = {}): Promise<GPUDevice> {
    this.#request = request;
    const device = (await this.#takeEarly(request)) ?? (await this.#make(adapter, request));
    this.#taken(device);
    return device;
  }

  async #make(adapter: GPUAdapter, request: DeviceRequest): Promise<GPUDevice> {
    const device = await requestDevice.call(adapter, request);
    this.#made(device);
    return device;
  }

  /** Returns the device that was made early, null where there is none, or it is another, or already lost. */
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
