// The second picture of a model that takes two, such as a style: given by the caller, into its input.

import { WebbuildError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
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

/** The tensor of a model's second picture, in the worker: made once for all tiles, and for all frames of the same one. */
export class ReferenceFeeds {
  readonly #reference: ReferenceInput | null;
  #last: { key: number; tensor: Promise<TensorData> } | null = null;

  constructor(inputs: Manifest["inputs"]) {
    this.#reference = findReference(inputs);
  }

  /** Returns nothing for a model that takes one picture. Pictures of the same key are the same; they stay open. */
  async feeds(picture: Picture | undefined, key: number | undefined): Promise<Tensors> {
    const reference = this.#reference;
    if (reference === null || picture === undefined) return {};
    if (key === undefined) return { [reference.name]: await tensorOf(reference, picture) };
    if (this.#last?.key !== key) this.#last = { key, tensor: tensorOf(reference, picture) };
    const last = this.#last;
    try {
      return { [reference.name]: await last.tensor };
    } catch (error) {
      if (this.#last === last) this.#last = null;
      throw error;
    }
  }
}

async function tensorOf(reference: ReferenceInput, picture: Picture): Promise<TensorData> {
  return (await preprocessOnCpu([imageOf(reference)], [picture])).tensor;
}

function wrong(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", `reference: ${what}`, fix);
}
