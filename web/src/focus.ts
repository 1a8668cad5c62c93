// The numbers that go with the pictures of a stack: given by the caller, or the manifest's own.

import type { TensorData, Tensors } from "./api.js";
import { WebbuildError } from "./errors.js";
import type { FocusInput, Manifest } from "./manifest.js";

/** Returns the tensors of the model's focus inputs. Throws on numbers it has no use for, or not as many. */
export function focusFeeds(inputs: Manifest["inputs"], given: readonly number[] | undefined): Tensors {
  const taken = inputs.filter((input) => input.kind === "focus");
  if (given !== undefined && taken.length === 0) {
    const fix = "leave focusDistances out";
    throw new WebbuildError("wrong-option", "focusDistances: the model takes none", fix);
  }
  return Object.fromEntries(taken.map((input) => [input.name, focusTensor(input, given ?? input.default)]));
}

export function focusTensor({ shape, default: own }: FocusInput, given: readonly number[]): TensorData {
  const fix = `give ${own.length} finite numbers, one for each picture, or leave focusDistances out for the default`;
  if (!Array.isArray(given) || given.length !== own.length) {
    const got = Array.isArray(given) ? `${given.length} numbers` : typeof given;
    throw new WebbuildError("wrong-option", `focusDistances: wanted ${own.length} numbers, got ${got}`, fix);
  }
  const odd = given.find((value) => !Number.isFinite(value));
  if (odd !== undefined) {
    throw new WebbuildError("wrong-option", `focusDistances: wanted finite numbers, got ${odd}`, fix);
  }
  return { type: "float32", dims: [...shape], data: Float32Array.from(given) };
}
