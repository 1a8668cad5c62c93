import { expect, test } from "vitest";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { fromUint8 } from "../../src/tensors/uint8-tensors.js";
import { room } from "../support/conformance.js";

interface Case {
  input: ImageInput;
  levels: number[];
  want: number[];
}

test.each(room<Case>("levels"))("%s", (_, { input, levels, want }) => {
  expect([...fromUint8(Uint8Array.from(levels), input)]).toEqual(want.map(Math.fround));
});
