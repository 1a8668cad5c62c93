// A snapshot of a model's state, as plain data.

import { areStates, stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { Size } from "../preprocess/letterbox.js";
import { WebbuildError } from "./errors.js";
import type { Tensors } from "./tensors.js";

/**
 * The state of a model after a run: `snapshot()` returns it and `restore()` takes it. It is plain data: it
 * can be cloned, posted, or stored in IndexedDB.
 */
export interface StateSnapshot {
  /** The number of runs since the state was zeros. */
  readonly steps: number;
  /** The size of the last picture, null if there was none. */
  readonly size: { readonly width: number; readonly height: number } | null;
  /** The state's tensors, by input name. */
  readonly tensors: Readonly<Tensors>;
}

/** @internal Throws if a value is not a snapshot of a model with these variants. */
export function checkedSnapshot(variants: readonly Manifest[], snapshot: StateSnapshot): StateSnapshot {
  const { steps, size, tensors } = Object(snapshot) as Partial<StateSnapshot>;
  const fix = "give what snapshot() of the same model returned";
  if (!isCount(steps, 0) || !isPictureSize(size)) {
    const what =
      "not a snapshot: steps must be a whole number, and size null or a width and height in pixels";
    throw new WebbuildError("invalid-state", what, fix);
  }
  if (variants.some(({ inputs }) => areStates(inputs, Object(tensors)))) return snapshot;
  const wanted = stateInputs(variants[0]?.inputs ?? []).map(describe);
  const got = Object.entries<{ type?: unknown; dims?: unknown }>(Object(tensors));
  const given = got.map(([name, { type, dims }]) => describe({ name, dtype: type, shape: [dims].flat() }));
  throw new WebbuildError(
    "invalid-state",
    `not a snapshot of this model: wanted ${wanted.join(", ")}, got ${given.join(", ") || "no tensors"}`,
    fix,
  );
}

function isCount(value: unknown, least: number): boolean {
  return Number.isInteger(value) && Number(value) >= least;
}

function isPictureSize(size: unknown): boolean {
  const { width, height } = Object(size) as Partial<Size>;
  return size === null || (isCount(width, 1) && isCount(height, 1));
}

function describe(spec: { name: string; dtype: unknown; shape: readonly unknown[] }): string {
  return `${spec.name} ${spec.dtype} [${spec.shape.join(", ")}]`;
}
