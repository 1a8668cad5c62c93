import { expect, test } from "vitest";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { letterbox, placePicture } from "../../src/preprocess/letterbox.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  input: ImageInput;
  image: { width: number; height: number; rgba: number[] };
  want: { geometry: { left: number; top: number; width: number; height: number }; tensor: number[] };
  tolerance: number;
}

test.each(casesOf<Case>("preprocess"))("%s", (_, { input, image, want, tolerance }) => {
  const { width, height } = image;
  const geometry = placePicture({ width, height }, input);
  expect(geometry).toEqual({ source: { width, height }, ...want.geometry });
  const tensor = letterbox({ width, height, data: Uint8ClampedArray.from(image.rgba) }, input, geometry);
  expectClose(tensor, want.tensor, tolerance);
});
