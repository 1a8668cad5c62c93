// The metadata of a run in its result (size, timings, backend, warnings), also merged over several runs.

import { WebbuildError } from "../api/errors.js";
import type { Result } from "../api/types.js";

/** The fields of a result that describe its run. */
export type RunMetadata = Pick<
  Result,
  "size" | "timings" | "preprocess" | "postprocess" | "backend" | "fallback" | "warnings"
>;

/** Copies the metadata, so that the decoded data of each tile can be freed. */
export function metadataOf({
  size,
  timings,
  preprocess,
  postprocess,
  backend,
  fallback,
  warnings,
}: RunMetadata): RunMetadata {
  return { size, timings, preprocess, postprocess, backend, fallback, warnings };
}

/** Merges the metadata of several runs: adds timings, keeps each warning once and the first fallback. */
export function mergedMetadata(runs: readonly RunMetadata[]): RunMetadata {
  const [first] = runs;
  if (first === undefined)
    throw new WebbuildError("invalid-image", "the picture is empty", "give another one");
  const total = (name: keyof RunMetadata["timings"]): number =>
    runs.reduce((sum, { timings }) => sum + timings[name], 0);
  const warnings = runs.flatMap((run) => run.warnings);
  return {
    ...first,
    timings: {
      preprocess: total("preprocess"),
      inference: total("inference"),
      postprocess: total("postprocess"),
      total: total("total"),
    },
    backend: runs.at(-1)?.backend ?? first.backend,
    fallback: runs.find(({ fallback }) => fallback !== null)?.fallback ?? null,
    warnings: warnings.filter(({ code }, at) => warnings.findIndex((other) => other.code === code) === at),
  };
}
