// The rungs of the ladder: the graphs that may run on this machine, best first, WebGPU before WASM.

import type { Backend, Precision, Warning } from "./api.js";
import { WebbuildError } from "./errors.js";
import { adapterFeatures } from "./gpu.js";
import { graphsFor } from "./graphs.js";
import type { Graph, Manifest } from "./manifest.js";

/** A graph on its backend; `reason` is why that backend, `why` why that graph of it. */
export interface Rung {
  backend: Backend;
  graph: Graph;
  reason: string;
  why: string;
}

/** What is tried, and what is to be said before the first. */
export interface Ladder {
  rungs: readonly Rung[];
  warnings: readonly Warning[];
}

interface Asked {
  manifest: Manifest;
  backend: "auto" | Backend;
  precision: "auto" | Precision;
}

/** Returns what may be tried of what was asked for. Throws "no-graph" where that is nothing. */
export async function ladderOf({ manifest, backend, precision }: Asked): Promise<Ladder> {
  if (backend !== "auto") {
    const reason = `backend "${backend}" was asked for`;
    return { rungs: await rungsOn(manifest, backend, precision, reason), warnings: [] };
  }
  const wasm = (reason: string): Promise<Rung[]> => rungsOn(manifest, "wasm", precision, reason);
  try {
    const reason = "this browser has a WebGPU adapter that can run the model";
    const webgpu = await rungsOn(manifest, "webgpu", precision, reason);
    return { rungs: [...webgpu, ...(await wasm(reason).catch(() => []))], warnings: [] };
  } catch (error) {
    if (!(error instanceof WebbuildError)) throw error;
    const rungs = await wasm(onWasm(error)).catch(() => {
      throw error;
    });
    return { rungs, warnings: [stepWarning(`${onWasm(error)}; it runs on WASM, slower`, error)] };
  }
}

/** Returns the ladder from the rung under one that failed. */
export function under(failed: Rung, below: readonly Rung[], error: WebbuildError): Ladder {
  const [next, ...others] = below;
  if (next === undefined) throw error;
  const from = failed.graph.precision;
  if (next.backend === failed.backend) {
    const why = `WebGPU cannot run the model in ${from} here: ${error.message}`;
    const warning = stepWarning(`${why}; it runs in ${next.graph.precision}`, error);
    return { rungs: [{ ...next, why }, ...others], warnings: [warning] };
  }
  const reason = onWasm(error);
  const rungs = [next, ...others].map((rung) => ({ ...rung, reason }));
  return { rungs, warnings: [stepWarning(`${reason}; it runs on WASM, slower`, error)] };
}

async function rungsOn(
  manifest: Manifest,
  backend: Backend,
  precision: "auto" | Precision,
  reason: string,
): Promise<Rung[]> {
  const held = graphsFor(manifest, backend, precision);
  const asks = held.length > 1 && held.some(({ features }) => features.length > 0);
  const has = asks ? await adapterFeatures() : new Set<string>();
  return fitting(held, precision, asks ? has : null).map((rung) => ({ ...rung, backend, reason }));
}

/**
 * Returns the graphs that an adapter with these features can run; with null, all. Where it can run none, the last is
 * left, and the worker says what it lacks.
 */
export function fitting(
  held: readonly Graph[],
  precision: "auto" | Precision,
  features: ReadonlySet<string> | null,
): Pick<Rung, "graph" | "why">[] {
  const lacking = (graph: Graph): string[] =>
    features === null ? [] : graph.features.filter((each) => !features.has(each));
  const fit = held.filter((graph) => lacking(graph).length === 0);
  const [best] = held;
  const lost = best === undefined ? [] : lacking(best);
  const why = (): string => {
    if (best !== undefined && lost.length > 0)
      return `this adapter has no ${lost.join(", ")}, which ${best.precision} needs`;
    if (precision !== "auto") return `precision "${precision}" was asked for`;
    return held.length === 1 ? "the bundle holds no other" : "the best that this adapter can run";
  };
  return (fit.length > 0 ? fit : held.slice(-1)).map((graph) => ({ graph, why: why() }));
}

function onWasm({ message }: WebbuildError): string {
  return `WebGPU cannot run the model here: ${message}`;
}

function stepWarning(message: string, { code, fix }: WebbuildError): Warning {
  return { code, message, fix };
}
