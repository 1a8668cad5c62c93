// The candidates of the fallback chain: the graphs that may run on this machine, best first, WebGPU before WASM.

import { WebbuildError } from "../api/errors.js";
import type { Backend, Precision, Warning } from "../api/types.js";
import { threadCount } from "../engine/engine.js";
import { wasmFirstReason } from "../engine/webkit-policy.js";
import { adapterFeatures } from "../gpu/gpu-device.js";
import { graphsFor } from "../manifest/graphs.js";
import type { Graph, Manifest } from "../manifest/manifest.js";

/** A graph on a backend. `reason` says why this backend, `precisionReason` why this graph of the backend. */
export interface Candidate {
  backend: Backend;
  graph: Graph;
  reason: string;
  precisionReason: string;
}

/** The candidates in the order in which they are tried, and the warnings of choosing them. */
export interface FallbackChain {
  candidates: readonly Candidate[];
  warnings: readonly Warning[];
}

export const BACKEND_NAMES: Readonly<Record<Backend, string>> = { webgpu: "WebGPU", wasm: "WASM" };

interface CandidateRequest {
  manifest: Manifest;
  backend: "auto" | Backend;
  precision: "auto" | Precision;
}

/** Returns the candidates for the requested backend and precision. Throws "no-graph" if there is none. */
export async function fallbackChain({
  manifest,
  backend,
  precision,
}: CandidateRequest): Promise<FallbackChain> {
  if (backend !== "auto") {
    const reason = `backend "${backend}" was requested`;
    return { candidates: await candidatesFor(manifest, backend, precision, reason), warnings: [] };
  }
  const wasm = (reason: string): Promise<Candidate[]> => candidatesFor(manifest, "wasm", precision, reason);
  try {
    const reason = "this browser has a WebGPU adapter that can run the model";
    const webgpu = await candidatesFor(manifest, "webgpu", precision, reason);
    const others = await wasm(reason).catch(() => []);
    const chain = { candidates: [...webgpu, ...others], warnings: [] };
    const wasmFirst = others[0] === undefined ? null : wasmFirstReason(others[0].graph, threadCount());
    return wasmFirst === null ? chain : withBackendFirst(chain, "wasm", wasmFirst);
  } catch (error) {
    if (!(error instanceof WebbuildError)) throw error;
    const candidates = await wasm(failureReason("webgpu", error)).catch(() => {
      throw error;
    });
    return {
      candidates,
      warnings: [fallbackWarning(`${failureReason("webgpu", error)}; it runs on WASM, slower`, error)],
    };
  }
}

/** Returns the chain with the candidates of one backend first, for this reason; the others follow. */
export function withBackendFirst(chain: FallbackChain, backend: Backend, reason: string): FallbackChain {
  const first = chain.candidates.filter((each) => each.backend === backend);
  const others = chain.candidates.filter((each) => each.backend !== backend);
  return { ...chain, candidates: [...first.map((each) => ({ ...each, reason })), ...others] };
}

/** Returns the rest of the chain after a candidate that failed, with the warning about it. */
export function nextInChain(
  failed: Candidate,
  remaining: readonly Candidate[],
  error: WebbuildError,
): FallbackChain {
  const [next, ...others] = remaining;
  if (next === undefined) throw error;
  const from = failed.graph.precision;
  if (next.backend === failed.backend) {
    const precisionReason = `WebGPU cannot run the model in ${from} here: ${error.message}`;
    const warning = fallbackWarning(`${precisionReason}; it runs in ${next.graph.precision}`, error);
    return { candidates: [{ ...next, precisionReason }, ...others], warnings: [warning] };
  }
  const reason = failureReason(failed.backend, error);
  const candidates = [next, ...others].map((candidate) => ({ ...candidate, reason }));
  const message = `${reason}; it runs on ${BACKEND_NAMES[next.backend]}${next.backend === "wasm" ? ", slower" : ""}`;
  return { candidates, warnings: [fallbackWarning(message, error)] };
}

async function candidatesFor(
  manifest: Manifest,
  backend: Backend,
  precision: "auto" | Precision,
  reason: string,
): Promise<Candidate[]> {
  const graphs = graphsFor(manifest, backend, precision);
  const needsFeatures = graphs.length > 1 && graphs.some(({ features }) => features.length > 0);
  const supported = needsFeatures ? await adapterFeatures() : new Set<string>();
  return supportedGraphs(graphs, precision, needsFeatures ? supported : null).map((candidate) => ({
    ...candidate,
    backend,
    reason,
  }));
}

/**
 * Returns the graphs that an adapter with these features can run; all of them if `features` is null. If it can run none,
 * the last one is returned: loading it in the worker fails with a message that names the missing features.
 */
export function supportedGraphs(
  graphs: readonly Graph[],
  precision: "auto" | Precision,
  features: ReadonlySet<string> | null,
): Pick<Candidate, "graph" | "precisionReason">[] {
  const missingFeatures = (graph: Graph): string[] =>
    features === null ? [] : graph.features.filter((each) => !features.has(each));
  const fit = graphs.filter((graph) => missingFeatures(graph).length === 0);
  const [best] = graphs;
  const missing = best === undefined ? [] : missingFeatures(best);
  const precisionReason = (): string => {
    if (best !== undefined && missing.length > 0)
      return `this adapter has no ${missing.join(", ")}, which ${best.precision} needs`;
    if (precision !== "auto") return `precision "${precision}" was requested`;
    return graphs.length === 1 ? "the bundle has no other" : "the best that this adapter can run";
  };
  return (fit.length > 0 ? fit : graphs.slice(-1)).map((graph) => ({
    graph,
    precisionReason: precisionReason(),
  }));
}

function failureReason(backend: Backend, { message }: WebbuildError): string {
  return `${BACKEND_NAMES[backend]} cannot run the model here: ${message}`;
}

function fallbackWarning(message: string, { code, fix }: WebbuildError): Warning {
  return { code, message, fix };
}
