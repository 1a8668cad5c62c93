// The inputs that want the size of a picture: filled in with the type that the graph wants.

import type { TensorData, Tensors } from "./api.js";
import { WebbuildError } from "./errors.js";
import { planeSize } from "./letterbox.js";
import type { Manifest, SizeInput } from "./manifest.js";
import { typed } from "./typed.js";

type Inputs = Manifest["inputs"];

export interface Size {
  width: number;
  height: number;
}

/** Returns a tensor for every input that wants a size, for a picture of this size. */
export function sizeFeeds(inputs: Readonly<Inputs>, picture: Size): Tensors {
  const wanting = inputs.filter((input) => input.kind === "size");
  return Object.fromEntries(wanting.map((input) => [input.name, sized(inputs, input, picture)]));
}

/** Returns the tensor for a run without a picture: the size of the model's input. Null where it takes none. */
export function inputSize(inputs: Readonly<Inputs>, wanting: SizeInput): TensorData | null {
  const image = inputs.find((input) => input.kind === "image");
  return image === undefined ? null : tensor(wanting, planeSize(image));
}

/** A width of 0 makes every box 0 or nothing at all. */
export function checkSize({ name }: SizeInput, { data }: TensorData): void {
  const wrong = Array.from<number | bigint>(data).find(
    (value) => !(value > 0 && Number.isInteger(Number(value))),
  );
  if (wrong === undefined) return;
  const what = `${name}: wanted a width and a height in whole pixels from 1 on, got ${wrong}`;
  throw new WebbuildError("wrong-input", what, "give the size of the picture, or leave it out");
}

function sized(inputs: Readonly<Inputs>, wanting: SizeInput, picture: Size): TensorData {
  const ofInput = wanting.of === "input" ? inputSize(inputs, wanting) : null;
  return ofInput ?? tensor(wanting, picture);
}

function tensor(spec: SizeInput, { width, height }: Size): TensorData {
  return typed(spec, spec.order === "width-height" ? [width, height] : [height, width]);
}
