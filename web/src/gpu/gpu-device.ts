// The graphics adapter, and what befalls its device, which nothing else would report.

import { WebbuildError } from "../api/errors.js";
import type { AdapterInfo } from "../api/types.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";

/** What the engine will compute on, and whether that is the CPU, as of SwiftShader. */
export interface Adapter {
  info: AdapterInfo;
  software: boolean;
}

/** Returns the adapter that the engine will use. Throws "no-adapter" where there is none with these features. */
export async function requireAdapter(features: readonly string[] = []): Promise<Adapter> {
  const gpu: GPU | undefined = navigator.gpu;
  if (gpu === undefined && !isSecureContext) throw noAdapter("this page is neither https nor localhost");
  if (gpu === undefined) throw noAdapter("this browser has no WebGPU");
  const adapter = await requestAdapter(gpu).catch((error: unknown) => {
    throw noAdapter(error instanceof Error ? error.message : String(error));
  });
  if (adapter === null) throw noAdapter("WebGPU is there, but no adapter to run on");
  const missing = features.filter((feature) => !adapter.features.has(feature));
  if (missing.length > 0) throw noAdapter(`the adapter has no ${missing.join(", ")}, which the model needs`);
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  return { info: { vendor, architecture, device, description }, software: isFallbackAdapter === true };
}

/** Returns what the adapter can do besides what every one can; nothing where there is none. */
export async function adapterFeatures(): Promise<ReadonlySet<string>> {
  const gpu: GPU | undefined = navigator.gpu;
  const adapter = gpu === undefined ? null : await requestAdapter(gpu).catch(() => null);
  return adapter?.features ?? new Set();
}

function requestAdapter(gpu: GPU): Promise<GPUAdapter | null> {
  const asked = gpu.requestAdapter({ powerPreference: "high-performance" });
  return withLimit(asked, LIMITS.gpu, "the search for a WebGPU adapter");
}

const requestDevice = globalThis.GPUAdapter?.prototype.requestDevice;

/** Returns a device of the engine's adapter that nobody else uses: it may be lost. Rejects where there is none. */
export async function createThrowawayDevice(): Promise<GPUDevice> {
  const adapter = await requestAdapter(navigator.gpu);
  if (adapter === null) throw noAdapter("WebGPU is there, but no adapter to run on");
  return requestDevice.call(adapter);
}

/** Tells of every device that is made in this worker. The engine shows its own only after the first session. */
export function onDeviceCreated(listener: (device: GPUDevice) => void): void {
  if (typeof GPUAdapter === "undefined") return;
  GPUAdapter.prototype.requestDevice = async function (...given) {
    const device = await requestDevice.apply(this, given);
    listener(device);
    return device;
  };
}

/** Keeps the first error of the devices since it was last asked. A lost device stays an error. */
export class DeviceErrors {
  #error: WebbuildError | null = null;
  #lost: WebbuildError | null = null;
  /** Tells the work under way that the device is lost. */
  readonly #waiting = new Set<(error: WebbuildError) => void>();

  watch(device: GPUDevice): void {
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#error ??= uncapturedError(error);
    });
    void device.lost.then(({ reason, message }) => {
      this.#lost = deviceLost(`the GPU device was lost (${reason}): ${message}`.trim());
      for (const fail of this.#waiting) fail(this.#lost);
    });
  }

  take(): WebbuildError | null {
    const error = this.#lost ?? this.#error;
    this.#error = null;
    return error;
  }

  /** Does work on the device. Rejects when that is lost, also where the work never ends; what it told comes first. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    if (this.#lost !== null) throw this.#lost;
    let fail: (error: unknown) => void = () => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        fail = reject;
        this.#waiting.add(fail);
        work().then(resolve, reject);
      });
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve, ERROR_DELAY_MS));
      throw this.take() ?? error;
    } finally {
      this.#waiting.delete(fail);
    }
  }
}

/** Milliseconds by which the device may tell why a command failed after the command did. */
const ERROR_DELAY_MS = 50;

function uncapturedError(error: GPUError): WebbuildError {
  if (!(error instanceof GPUOutOfMemoryError))
    return new WebbuildError(
      "gpu-error",
      `the GPU refused a command: ${error.message}`,
      'load the model again, or with { backend: "wasm" }',
    );
  const fix = 'dispose of models that are not used, close other pages, or load with { backend: "wasm" }';
  return new WebbuildError("out-of-memory", `the GPU has no memory left: ${error.message}`, fix);
}

function deviceLost(message: string): WebbuildError {
  const fix = 'run again in a moment; where that fails too, load with { backend: "wasm" }';
  return new WebbuildError("device-lost", message, fix);
}

function noAdapter(message: string): WebbuildError {
  const fix = 'load with { backend: "wasm" } or "auto", or use a recent browser on an https page';
  return new WebbuildError("no-adapter", message, fix);
}
