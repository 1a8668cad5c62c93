// Fills in the inputs that take the size of a picture, in the graph's element type.

import { WebbuildError } from "../api/errors.js";
import type { TensorData, Tensors } from "../api/types.js";
import type { Manifest, SizeInput } from "../manifest/manifest.js";
import { planeSize, type Size } from "../preprocess/letterbox.js";
import { toTensor } from "../tensors/typed-arrays.js";

type Inputs = Manifest["inputs"];

/** Returns a tensor for every size input, for a picture of this size. */
export function sizeFeeds(inputs: Readonly<Inputs>, picture: Size): Tensors {
  const sizeInputs = inputs.filter((input) => input.kind === "size");
  return Object.fromEntries(sizeInputs.map((input) => [input.name, sized(inputs, input, picture)]));
}

/** Returns the tensor for a run without a picture: the model's input size. Null if it takes no picture. */
export function inputSize(inputs: Readonly<Inputs>, spec: SizeInput): TensorData | null {
  const image = inputs.find((input) => input.kind === "image");
  return image === undefined ? null : tensor(spec, planeSize(image));
}

/** Throws for a size below 1: a width of 0 makes every box 0 or empty. */
export function checkSize({ name }: SizeInput, { data }: TensorData): void {
  const wrong = Array.from<number | bigint>(data).find(
    (value) => !(value > 0 && Number.isInteger(Number(value))),
  );
  if (wrong === undefined) return;
  const what = `${name}: wanted a width and a height in whole pixels from 1 on, got ${wrong}`;
  throw new WebbuildError("invalid-input", what, "give the size of the picture, or leave it out");
}

function sized(inputs: Readonly<Inputs>, spec: SizeInput, picture: Size): TensorData {
  const ofInput = spec.sizeOf === "input" ? inputSize(inputs, spec) : null;
  return ofInput ?? tensor(spec, picture);
}

function tensor(spec: SizeInput, { width, height }: Size): TensorData {
  return toTensor(spec, spec.order === "width-height" ? [width, height] : [height, width]);
}
