// The mode of segmentation that the caller asks for, in place of the manifest's.

import type { RunOptions } from "./api.js";
import { WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";

const modes = ["panoptic", "instance", "semantic"];

/** The manifest with that mode. Throws "wrong-option" where the model has no modes, or not this one. */
export function withMode(manifest: Manifest, mode: RunOptions["mode"]): Manifest {
  const { task } = manifest;
  if (mode === undefined) return manifest;
  if (task.kind !== "panoptic")
    throw new WebbuildError("wrong-option", "mode: the model takes none", "leave mode out");
  const known = task.scores === null ? ["semantic"] : modes;
  if (!known.includes(mode)) {
    const fix = `give ${known.join(", ")}, or leave mode out for ${task.mode}`;
    throw new WebbuildError("wrong-option", `mode: the model has no ${JSON.stringify(mode)}`, fix);
  }
  return { ...manifest, task: { ...task, mode } };
}
