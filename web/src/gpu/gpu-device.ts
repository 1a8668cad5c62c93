// The WebGPU adapter, and devices of it.

import { errorMessage, WebbuildError } from "../api/errors.js";
import type { AdapterInfo } from "../api/types.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";

/** The engine's adapter; `software` if it computes on the CPU, as SwiftShader does. */
export interface Adapter {
  info: AdapterInfo;
  software: boolean;
}

/** Returns the adapter that the engine will use. Throws "no-adapter" if there is none with these features. */
export async function requireAdapter(features: readonly string[] = []): Promise<Adapter> {
  const gpu: GPU | undefined = navigator.gpu;
  if (gpu === undefined && !isSecureContext) throw noAdapter("this page is neither https nor localhost");
  if (gpu === undefined) throw noAdapter("this browser has no WebGPU");
  const adapter = await requestAdapter(gpu).catch((error: unknown) => {
    throw noAdapter(errorMessage(error));
  });
  if (adapter === null) throw noAdapter("the browser offers no WebGPU adapter");
  const missing = features.filter((feature) => !adapter.features.has(feature));
  if (missing.length > 0) throw noAdapter(`the adapter has no ${missing.join(", ")}, which the model needs`);
  const { vendor, architecture, device, description, isFallbackAdapter } = adapter.info;
  return { info: { vendor, architecture, device, description }, software: isFallbackAdapter === true };
}

/** Returns the optional features of the adapter; an empty set if there is no adapter. */
export async function adapterFeatures(): Promise<ReadonlySet<string>> {
  const gpu: GPU | undefined = navigator.gpu;
  const adapter = gpu === undefined ? null : await requestAdapter(gpu).catch(() => null);
  return adapter?.features ?? new Set();
}

/** Returns the adapter that the engine requests too. */
export function requestAdapter(gpu: GPU): Promise<GPUAdapter | null> {
  const request = gpu.requestAdapter({ powerPreference: "high-performance" });
  return withLimit(request, LIMITS.gpu, "the search for a WebGPU adapter");
}

/** The browser's own requestDevice(): `EngineDevices` replaces it on the prototype. */
export const requestDevice: GPUAdapter["requestDevice"] = globalThis.GPUAdapter?.prototype.requestDevice;

export function createDevice(adapter: GPUAdapter, request?: GPUDeviceDescriptor): Promise<GPUDevice> {
  return withLimit(requestDevice.call(adapter, request), LIMITS.gpu, "the request for a WebGPU device");
}

/** Returns a device of the engine's adapter for experiments that may lose it. Rejects if there is no adapter. */
export async function createThrowawayDevice(): Promise<GPUDevice> {
  const adapter = await requestAdapter(navigator.gpu);
  if (adapter === null) throw noAdapter("the browser offers no WebGPU adapter");
  return createDevice(adapter);
}

function noAdapter(message: string): WebbuildError {
  const fix = 'load with { backend: "wasm" } or "auto", or use a recent browser on an https page';
  return new WebbuildError("no-adapter", message, fix);
}
