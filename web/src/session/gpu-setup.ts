// The device descriptor and compute pipelines that a graph uses on this adapter. Stored with the verdict of
// its self-test, so that the next visit can create them while the engine still downloads.

import type { Warn } from "../api/warn.js";
import type { DeviceRequest } from "../gpu/engine-devices.js";
import type { PipelineSource } from "../gpu/pipeline-use.js";
import { type Fields, readFinding, writeFinding } from "../storage/findings.js";

export interface GpuSetup {
  /** The descriptor that the engine requests its device with; null before the request. */
  device: DeviceRequest | null;
  pipelines: readonly PipelineSource[];
}

export const EMPTY_GPU_SETUP: GpuSetup = { device: null, pipelines: [] };

/** `test` is the key of the self-test. Increase the number when the stored format changes. */
const keyOf = (test: string): string => `${test}-gpu-work-1`;

/** Returns the setup that earlier visits stored, or an empty one. */
export async function readGpuSetup(test: string, warn: Warn): Promise<GpuSetup> {
  return (await readFinding<GpuSetup>(keyOf(test), isGpuSetup, warn)) ?? EMPTY_GPU_SETUP;
}

function isGpuSetup({ device, pipelines }: Fields): boolean {
  return typeof device === "object" && Array.isArray(pipelines) && pipelines.every(isSource);
}

function isSource(stored: unknown): boolean {
  const { code, entryPoint, groups } = Object(stored) as Record<string, unknown>;
  if (typeof code !== "string" || typeof entryPoint !== "string" || !Array.isArray(groups)) return false;
  return groups.every((entries) => Array.isArray(entries));
}

/** Stores the setup of this visit merged with `stored`, if it adds something. */
export async function storeGpuSetup(
  test: string,
  stored: GpuSetup,
  used: GpuSetup,
  warn: Warn,
): Promise<void> {
  const all = new Map([...stored.pipelines, ...used.pipelines].map((each) => [JSON.stringify(each), each]));
  const device = used.device ?? stored.device;
  const isSameDevice = JSON.stringify(device) === JSON.stringify(stored.device);
  if (all.size === stored.pipelines.length && isSameDevice) return;
  await writeFinding(keyOf(test), { device, pipelines: [...all.values()] }, warn);
}
