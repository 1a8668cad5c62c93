// The device request and compute pipelines of a graph on this adapter, stored for the next visit beside its self-test.

import type { DeviceRequest } from "../gpu/engine-devices.js";
import type { PipelineSource } from "../gpu/pipeline-use.js";
import { type Fields, readFinding, writeFinding } from "../storage/findings.js";
import type { Warn } from "../worker/with-limit.js";

/** What the engine's device is asked for with, null where nobody knows, and the pipelines. */
export interface KnownGpuWork {
  device: DeviceRequest | null;
  pipelines: readonly PipelineSource[];
}

export const NOTHING_KNOWN: KnownGpuWork = { device: null, pipelines: [] };

/** Counts up when the form of what lies there changes. */
const nameOf = (test: string): string => `${test}-gpu-work-1`;

/** Returns that of earlier visits, of the graph with a self-test; nothing where nothing is kept. */
export async function readGpuWork(test: string, warn: Warn): Promise<KnownGpuWork> {
  return (await readFinding<KnownGpuWork>(nameOf(test), isGpuWork, warn)) ?? NOTHING_KNOWN;
}

function isGpuWork({ device, pipelines }: Fields): boolean {
  return typeof device === "object" && Array.isArray(pipelines) && pipelines.every(isSource);
}

function isSource(kept: unknown): boolean {
  const { code, entryPoint, groups } = Object(kept) as Record<string, unknown>;
  if (typeof code !== "string" || typeof entryPoint !== "string" || !Array.isArray(groups)) return false;
  return groups.every((entries) => Array.isArray(entries));
}

/** Keeps what was used with what is known, if that is more. */
export async function keepGpuWork(
  test: string,
  known: KnownGpuWork,
  used: KnownGpuWork,
  warn: Warn,
): Promise<void> {
  const all = new Map([...known.pipelines, ...used.pipelines].map((each) => [JSON.stringify(each), each]));
  const device = used.device ?? known.device;
  if (all.size === known.pipelines.length && JSON.stringify(device) === JSON.stringify(known.device)) return;
  await writeFinding(nameOf(test), { device, pipelines: [...all.values()] }, warn);
}
