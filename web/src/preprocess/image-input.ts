// The input that run() preprocesses from pictures: an image, a stack of images, or a crop.

import { WebbuildError } from "../api/errors.js";
import type { CropInput, ImageInput, Manifest } from "../manifest/manifest.js";

export interface RunInput {
  name: string;
  shape: readonly number[];
  /** How each picture is preprocessed. */
  image: ImageInput;
  /** The number of pictures in a stack, null for a single picture. */
  count: number | null;
  /** Set for an input of crops: run() cuts one crop around the whole picture. */
  crop?: CropInput;
}

const FIX = "use runTensors() and give every input";

/** Throws if an input is a plain tensor, which only the caller can provide. */
export function requireNoTensors(inputs: Manifest["inputs"]): void {
  const tensor = inputs.find(({ kind }) => kind === "tensor");
  if (tensor === undefined) return;
  const wanted = `${tensor.dtype} [${tensor.shape.join(", ")}]`;
  throw new WebbuildError("missing-input", `${tensor.name}: run() cannot fill in ${wanted}`, FIX);
}

/** Returns the input that run() preprocesses from pictures. Throws if the model needs more than pictures. */
export function runInput(inputs: Manifest["inputs"]): RunInput {
  const found = inputs.filter(
    (input) => input.kind === "image" || input.kind === "crop" || input.kind === "stack",
  );
  const [input] = found;
  if (input === undefined || found.length > 1) {
    const what = `the model takes ${found.length} pictures, run() gives one`;
    throw new WebbuildError("invalid-image", what, FIX);
  }
  requireNoTensors(inputs);
  const { name, shape } = input;
  if (input.kind === "image") return { name, shape, image: input, count: null };
  if (input.kind === "crop") {
    const {
      padding: _padding,
      unbiased: _unbiased,
      pad,
      template: _template,
      classes: _classes,
      ...own
    } = input;
    const letterbox = { mode: "stretch", anchor: "center", pad, interpolation: "bilinear" } as const;
    return { name, shape, image: { ...own, kind: "image", letterbox }, count: null, crop: input };
  }
  const { count, ...rest } = input;
  const image: ImageInput = { ...rest, kind: "image", shape: [1, ...shape.slice(-3)], layout: "nchw" };
  return { name, shape, image, count };
}

/** Returns the pictures of a call as an array. Throws unless they are one picture, or as many as a stack takes. */
export function checkPictureCount<T>({ count }: RunInput, given: T | readonly T[]): readonly T[] {
  const several = Array.isArray(given);
  const pictures: readonly T[] = several ? given : [given as T];
  if (several === (count !== null) && pictures.length === (count ?? 1)) return pictures;
  const got = several ? `an array of ${pictures.length}` : "one picture";
  const wanted = count === null ? "one picture" : `an array of ${count} pictures`;
  throw new WebbuildError("invalid-image", `the model takes ${wanted}, got ${got}`, `give ${wanted}`);
}
