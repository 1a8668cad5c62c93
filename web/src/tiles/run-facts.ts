// What a result says of its run, and of several runs together.

import { WebbuildError } from "../api/errors.js";
import type { Result } from "../api/types.js";

/** What a result says of its run. */
export type RunFacts = Pick<
  Result,
  "size" | "timings" | "preprocess" | "postprocess" | "backend" | "fallback" | "warnings"
>;

/** Without what the result holds: it would all be kept to the end. */
export function factsOf({
  size,
  timings,
  preprocess,
  postprocess,
  backend,
  fallback,
  warnings,
}: RunFacts): RunFacts {
  return { size, timings, preprocess, postprocess, backend, fallback, warnings };
}

/** What is said of all runs: times added up, each warning once, and the first fallback. */
export function joinedFacts(runs: readonly RunFacts[]): RunFacts {
  const [first] = runs;
  if (first === undefined)
    throw new WebbuildError("invalid-image", "the picture is empty", "give another one");
  const total = (name: keyof RunFacts["timings"]): number =>
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
