// The graphics adapter, and the errors of its device, which nothing else would report.

import type { AdapterInfo } from "./api.js";
import { WebbuildError } from "./errors.js";

/** Returns the adapter that the engine will use. Throws "no-adapter" where there is none with these features. */
export async function requireAdapter(features: readonly string[] = []): Promise<AdapterInfo> {
  const gpu: GPU | undefined = navigator.gpu;
  if (gpu === undefined && !isSecureContext) throw noAdapter("this page is neither https nor localhost");
  if (gpu === undefined) throw noAdapter("this browser has no WebGPU");
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  if (adapter === null) throw noAdapter("WebGPU is there, but no adapter to run on");
  const missing = features.filter((feature) => !adapter.features.has(feature));
  if (missing.length > 0) throw noAdapter(`the adapter has no ${missing.join(", ")}, which the model needs`);
  const { vendor, architecture, device, description } = adapter.info;
  return { vendor, architecture, device, description };
}

/** Keeps the first error since it was last asked. A lost device stays an error. */
export class GpuErrors {
  #error: WebbuildError | null = null;
  #lost: WebbuildError | null = null;

  constructor(device: GPUDevice) {
    device.addEventListener("uncapturederror", ({ error }) => {
      this.#error ??= gpuError(`the GPU refused a command: ${error.message}`);
    });
    void device.lost.then(({ reason, message }) => {
      this.#lost = gpuError(`the GPU device was lost (${reason}): ${message}`);
    });
  }

  take(): WebbuildError | null {
    const error = this.#lost ?? this.#error;
    this.#error = null;
    return error;
  }
}

function gpuError(message: string): WebbuildError {
  return new WebbuildError("gpu-error", message, 'load the model again, or with { backend: "wasm" }');
}

function noAdapter(message: string): WebbuildError {
  const fix = 'load with { backend: "wasm" } or "auto", or use a recent browser on an https page';
  return new WebbuildError("no-adapter", message, fix);
}
