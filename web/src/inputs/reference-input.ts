// Preprocesses the second picture of a model that takes two, such as a style.

import { WebbuildError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
import type { ImageInput, Manifest, ReferenceInput } from "../manifest/manifest.js";
import { preprocessOnCpu } from "../preprocess/cpu-preprocess.js";
import { isImageSource } from "../preprocess/image-source.js";
import type { Picture } from "../preprocess/pixels.js";

export function findReference(inputs: Manifest["inputs"]): ReferenceInput | null {
  return inputs.find((input) => input.kind === "reference") ?? null;
}

/** Returns the image input that preprocesses a picture to the same tensor. */
export function imageOf(reference: ReferenceInput): ImageInput {
  return { ...reference, kind: "image" };
}

/** Throws "invalid-option" for an invalid picture, a missing one, and one that the model does not take. */
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

/**
 * The tensor of a model's second picture, in the worker. It is cached for all tiles, and for all frames with
 * the same picture.
 */
export class ReferenceFeeds {
  readonly #reference: ReferenceInput | null;
  #last: { key: number; tensor: Promise<TensorData> } | null = null;

  constructor(inputs: Manifest["inputs"]) {
    this.#reference = findReference(inputs);
  }

  /**
   * Returns no feeds for a model that takes one picture. Pictures with the same key are the same. They stay
   * open.
   */
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
