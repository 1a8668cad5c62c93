// The requested parts of a depth result.

import { WebbuildError } from "../../api/errors.js";
import type { DepthPart, RunOptions } from "../../api/types.js";
import type { DepthTask } from "../../manifest/manifest.js";
import type { TaskOptions } from "../task-options.js";

/** `confidenceAlpha`: the colours are more transparent where the confidence is lower. */
export type DepthOptions = Readonly<Record<DepthPart | "confidenceAlpha", boolean>>;

const PARTS: readonly DepthPart[] = ["values", "map", "colors"];

export const options: TaskOptions<DepthTask> = {
  kind: "depth",
  names: ["depth", "confidenceAlpha"],
  refusal: "the model makes no depth map",
  check: ({ task }, given) => depthOptions(task, given),
};

/** Throws "invalid-option" for parts that the model does not have. */
export function depthOptions(task: DepthTask, { depth, confidenceAlpha }: RunOptions): DepthOptions {
  const parts: readonly unknown[] = typeof depth === "string" ? [depth] : (depth ?? ["values"]);
  const unknown = Array.isArray(parts) ? parts.find((part) => !PARTS.some((known) => known === part)) : depth;
  if (unknown !== undefined || parts.length === 0) {
    const fix = `give one or several of ${PARTS.join(", ")}, or leave depth out for values`;
    throw optionError(`depth: wanted parts of a result, got ${JSON.stringify(unknown ?? [])}`, fix);
  }
  if (confidenceAlpha && task.confidence === null)
    throw optionError("confidenceAlpha: the model has no confidence output", "leave confidenceAlpha out");
  const has = (part: DepthPart): boolean => parts.includes(part);
  return {
    values: has("values"),
    map: has("map"),
    colors: has("colors"),
    confidenceAlpha: confidenceAlpha === true,
  };
}

function optionError(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", what, fix);
}
