// A graph and its weights as bytes, on their way into the engine.

import type { Graph } from "../manifest/manifest.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { ReleasedWeights } from "./released-weights.js";

/** Emptied once the session holds them: a later graph fetches them again. */
export interface GraphBytes {
  model: Uint8Array;
  weights: { path: string; data: Uint8Array }[];
}

/** Weights of at least so many bytes are freed while the engine takes them: below, copying them costs more than it saves. */
const LARGE = 16 * 2 ** 20;

/** Returns the files of a graph. Large weights can be taken once, unless they are `kept`. */
export async function fetchGraph(
  graph: Graph,
  downloads: Downloads,
  onBytes?: OnBytes,
  kept = false,
): Promise<GraphBytes> {
  const isReleased = !kept && downloads.uncompressedSize(graph.weights) >= LARGE;
  const [model, ...weights] = await Promise.all([
    downloads.get(graph.file, onBytes),
    ...graph.weights.map(async (path) => {
      const data = await downloads.get(path, onBytes);
      if (!isReleased) return { path: basename(path), data };
      const isOwn = await downloads.owns(data);
      return { path: basename(path), data: isOwn ? new ReleasedWeights(data) : data };
    }),
  ]);
  return { model, weights };
}

/**
 * Creates what is made of a graph. The engine reads a tensor twice where its optimizer computes with it, or where two
 * tensors are one: weights that were freed by then are fetched again, from storage, and kept.
 */
export async function createFrom<T>(
  bytes: GraphBytes,
  fetchKept: () => Promise<GraphBytes>,
  create: (bytes: GraphBytes) => Promise<T>,
): Promise<T> {
  try {
    return await create(bytes);
  } catch (error) {
    const isAskedAgain = bytes.weights.some(
      ({ data }) => data instanceof ReleasedWeights && data.isAskedAgain,
    );
    if (!isAskedAgain) throw error;
    [bytes.model, bytes.weights] = [new Uint8Array(), []];
    return create(await fetchKept());
  }
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
