// The focus distances of a stack's pictures: the caller's, or the manifest's defaults.

import { shown, WebbuildError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
import type { FocusInput, Manifest } from "../manifest/manifest.js";

/** Returns the tensors of the model's focus inputs. Throws if it takes none, or another number of them. */
export function focusFeeds(inputs: Manifest["inputs"], distances: readonly number[] | undefined): Tensors {
  const focusInputs = inputs.filter((input) => input.kind === "focus");
  if (distances !== undefined && focusInputs.length === 0) {
    const fix = "leave focusDistances out";
    throw new WebbuildError("invalid-option", "focusDistances: the model takes none", fix);
  }
  return Object.fromEntries(
    focusInputs.map((input) => [input.name, focusTensor(input, distances ?? input.default)]),
  );
}

export function focusTensor(
  { shape, default: defaults }: FocusInput,
  distances: readonly number[],
): TensorData {
  const fix = `give ${defaults.length} finite numbers, one for each picture, or leave focusDistances out for the default`;
  if (!Array.isArray(distances) || distances.length !== defaults.length) {
    const got = Array.isArray(distances) ? `${distances.length} numbers` : typeof distances;
    throw new WebbuildError(
      "invalid-option",
      `focusDistances: wanted ${defaults.length} numbers, got ${got}`,
      fix,
    );
  }
  const invalid = distances.find((value) => !Number.isFinite(value));
  if (invalid !== undefined) {
    throw new WebbuildError(
      "invalid-option",
      `focusDistances: wanted finite numbers, got ${shown(invalid)}`,
      fix,
    );
  }
  return { type: "float32", dims: [...shape], data: Float32Array.from(distances) };
}
