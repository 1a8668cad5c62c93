// The graphs of a bundle for a target, best first.

import { WebbuildError } from "../api/errors.js";
import type { Backend, Precision } from "../api/types.js";
import type { Graph, Manifest } from "./manifest.js";

/** Returns the graphs of a target in a precision. Throws "no-graph" if there is none. */
export function graphsFor(manifest: Manifest, target: Backend, precision: "auto" | Precision): Graph[] {
  const forTarget = manifest.graphs.filter((graph) => graph.target === target);
  const inPrecision = forTarget.filter((graph) => precision === "auto" || graph.precision === precision);
  if (inPrecision.length > 0) return inPrecision;
  if (forTarget.length === 0) throw noGraph(manifest, target);
  const others = forTarget.map((graph) => `"${graph.precision}"`).join(", ");
  const fix = `load with precision "auto" or ${others}, or pack the model again with --precision ${precision}`;
  throw new WebbuildError("no-graph", `the bundle has no ${precision} graph for ${target}`, fix);
}

/** Returns the graph that runs on every machine with the target. */
export function findGraph(manifest: Manifest, target: Backend): Graph {
  const graph = manifest.graphs.findLast((candidate) => candidate.target === target);
  if (graph === undefined) throw noGraph(manifest, target);
  return graph;
}

export function graphFiles(graph: Graph): string[] {
  return [graph.file, ...graph.weights];
}

function noGraph({ graphs, disabledTargets }: Manifest, target: Backend): WebbuildError {
  const disabled = disabledTargets.find((each) => each.target === target);
  if (disabled !== undefined) {
    const what = `${target} would fail: ${disabled.reason}`;
    return new WebbuildError("no-graph", what, `run \`webbuild explain ${disabled.code}\``);
  }
  const targets = [...new Set(graphs.map((candidate) => `"${candidate.target}"`))].join(", ");
  const fix = `load with one of ${targets}, or pack the model again with this version of webbuild`;
  return new WebbuildError("no-graph", `the bundle has no graph for ${target}`, fix);
}
