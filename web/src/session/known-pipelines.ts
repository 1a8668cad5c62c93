// The pipelines that a graph used on this adapter, kept for the next visit beside the verdict of its self-test.

import type { PipelineSource } from "../gpu/pipeline-use.js";
import { readFinding, writeFinding } from "../storage/findings.js";
import type { Warn } from "../worker/with-limit.js";

/** Counts up when the form of what lies there changes. */
const nameOf = (test: string): string => `${test}-pipelines-1`;

/** Returns those of earlier visits, of the graph with a self-test; none where nothing is kept. */
export async function readPipelines(test: string, warn: Warn): Promise<PipelineSource[]> {
  const kept = await readFinding(nameOf(test), warn);
  return Array.isArray(kept) ? (kept as PipelineSource[]) : [];
}

/** Keeps what was used with what is known, if that is more. */
export async function keepPipelines(
  test: string,
  known: readonly PipelineSource[],
  used: readonly PipelineSource[],
  warn: Warn,
): Promise<void> {
  const all = new Map([...known, ...used].map((each) => [JSON.stringify(each), each]));
  if (all.size > known.length) await writeFinding(nameOf(test), [...all.values()], warn);
}
