// The bytes of a graph and its weights, fetched for the engine.

import type { Graph } from "../manifest/manifest.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { ReleasedWeights } from "./released-weights.js";

/** Emptied once the session has copied them: a later session of the graph fetches them again. */
export interface GraphBytes {
  model: Uint8Array;
  weights: { path: string; data: Uint8Array }[];
}

/** Smaller weights are not freed while the engine copies them: the extra copy would cost more. */
const MIN_RELEASED_BYTES = 16 * 2 ** 20;

/** Returns the files of a graph. Large weights can be read only once, unless they are `kept`. */
export async function fetchGraph(
  graph: Graph,
  downloads: Downloads,
  onBytes?: OnBytes,
  kept = false,
): Promise<GraphBytes> {
  const isReleased = !kept && downloads.uncompressedSize(graph.weights) >= MIN_RELEASED_BYTES;
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
 * Creates a session from the bytes of a graph. The engine reads a tensor twice if its optimizer computes with
 * it, or if two initializers share their bytes. If the weights were freed by then, `refetch` fetches them
 * again and they are kept.
 */
export async function createOrRefetch<T>(
  bytes: GraphBytes,
  refetch: () => Promise<GraphBytes>,
  create: (bytes: GraphBytes) => Promise<T>,
): Promise<T> {
  try {
    return await create(bytes);
  } catch (error) {
    const wereReadTwice = bytes.weights.some(
      ({ data }) => data instanceof ReleasedWeights && data.wasReadTwice,
    );
    if (!wereReadTwice) throw error;
    [bytes.model, bytes.weights] = [new Uint8Array(), []];
    return create(await refetch());
  }
}

function basename(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
