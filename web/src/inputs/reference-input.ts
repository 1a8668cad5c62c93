// The second picture of a model that takes two, such as a style: given by the caller, into its input.

import { WebbuildError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";
import type { ImageInput, Manifest, ReferenceInput } from "../manifest/manifest.js";
import { preprocessOnCpu } from "../preprocess/cpu-preprocess.js";
import { isImageSource } from "../preprocess/image-source.js";
import type { Picture } from "../preprocess/pixels.js";

export function findReference(inputs: Manifest["inputs"]): ReferenceInput | null {
  return inputs.find((input) => input.kind === "reference") ?? null;
}

/** The input of the picture that becomes the same tensor. */
export function imageOf(reference: ReferenceInput): ImageInput {
  return { ...reference, kind: "image" };
}

/** Throws "invalid-option" for a picture that the model does not take, for none where it needs one, and for what is none. */
export function checkReference(inputs: Manifest["inputs"], reference: unknown): void {
  const takes = findReference(inputs) !== null;
  if (!takes && reference === undefined) return;
  if (!takes) throw wrong("the model takes one picture", "leave reference out");
  if (isImageSource(reference)) return;
  const got = reference === undefined ? "none was given" : `got ${typeof reference}`;
  throw wrong(
    `wanted the second picture, ${got}`,
    "give a picture as run() takes it: run(picture, { reference })",
  );
}

/** Returns the tensor of the second picture, which stays open; none for a model that takes none. */
export async function referenceFeeds(
  inputs: Manifest["inputs"],
  picture: Picture | undefined,
): Promise<Tensors> {
  const reference = findReference(inputs);
  if (reference === null || picture === undefined) return {};
  const { name, tensor } = await preprocessOnCpu([imageOf(reference)], [picture]);
  return { [name]: tensor };
}

function wrong(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", `reference: ${what}`, fix);
}
