// The numbers that a model takes with a picture, such as an exposure: the caller's, or the defaults.

import { shown, WebbuildError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
import type { Manifest, NumberInput } from "../manifest/manifest.js";

/**
 * Returns the tensors of the model's number inputs. Throws for an unknown name, and for a value that is no
 * finite number.
 */
export function numberFeeds(
  inputs: Manifest["inputs"],
  given: Readonly<Record<string, number | undefined>> = {},
): Tensors {
  const numberInputs = inputs.filter((input) => input.kind === "number");
  const names = numberInputs.map(({ name }) => name);
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const fix = names.length > 0 ? `the numbers are: ${names.join(", ")}` : "leave numbers out";
    throw new WebbuildError("invalid-option", `numbers: the model takes no number ${unknown}`, fix);
  }
  return Object.fromEntries(
    numberInputs.map((input) => [input.name, numberTensor(input, given[input.name])]),
  );
}

export function numberTensor(
  { name, shape, default: otherwise }: NumberInput,
  value: unknown = otherwise,
): TensorData {
  if (typeof value !== "number" || !Number.isFinite(value)) {
    const fix = `give a finite number, or leave ${name} out for the default`;
    throw new WebbuildError(
      "invalid-option",
      `numbers: wanted a finite number for ${name}, got ${shown(value)}`,
      fix,
    );
  }
  return { type: "float32", dims: [...shape], data: Float32Array.of(value) };
}
