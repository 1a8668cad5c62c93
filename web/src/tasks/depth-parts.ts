// What of a depth map a run is asked for.

import type { DepthPart, RunOptions } from "../api.js";
import { WebbuildError } from "../errors.js";
import { type Geometry, planeSize } from "../letterbox.js";
import type { Manifest } from "../manifest.js";
import { picturedInput } from "../pictured.js";

/** `fade`: the colours are the more transparent the less sure the model is. */
export type DepthWish = Readonly<Record<DepthPart | "fade", boolean>>;

/** What a run gives that says nothing of it. */
export const VALUES: DepthWish = { values: true, map: false, colors: false, fade: false };

type Size = Geometry["source"];

const PARTS: readonly DepthPart[] = ["values", "map", "colors"];

/** Null for another task. Throws "wrong-option" for what the model cannot give. */
export function depthWish({ task }: Manifest, { depth, fade }: RunOptions): DepthWish | null {
  if (task.kind !== "depth") {
    if (depth !== undefined) throw noOption("depth: the model makes no depth map", "leave depth out");
    if (fade !== undefined) throw noOption("fade: the model makes no depth map", "leave fade out");
    return null;
  }
  const asked: readonly unknown[] = typeof depth === "string" ? [depth] : (depth ?? ["values"]);
  const odd = Array.isArray(asked) ? asked.find((part) => !PARTS.some((known) => known === part)) : depth;
  if (odd !== undefined || asked.length === 0) {
    const fix = `give one or several of ${PARTS.join(", ")}, or leave depth out for values`;
    throw noOption(`depth: wanted parts of a result, got ${JSON.stringify(odd ?? [])}`, fix);
  }
  if (fade && task.confidence === null)
    throw noOption("fade: the model does not say how sure it is", "leave fade out");
  const has = (part: DepthPart): boolean => asked.includes(part);
  return { values: has("values"), map: has("map"), colors: has("colors"), fade: fade === true };
}

/** The shape of an output that is a map, the size of the map, and of the input that it is over. */
export function mapSizes(
  { inputs, outputs }: Pick<Manifest, "inputs" | "outputs">,
  name: string,
): { dims: readonly number[]; grid: Size; input: Size } {
  const dims = outputs.find((spec) => spec.name === name)?.shape ?? [];
  const [height = 0, width = 0] = dims.slice(-2);
  return { dims, grid: { width, height }, input: planeSize(picturedInput(inputs).picture) };
}

function noOption(what: string, fix: string): WebbuildError {
  return new WebbuildError("wrong-option", what, fix);
}
