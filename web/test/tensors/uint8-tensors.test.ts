import { expect, test } from "vitest";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { fromUint8 } from "../../src/tensors/uint8-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  input: ImageInput;
  values: number[];
  want: number[];
}

test.each(casesOf<Case>("uint8"))("%s", (_, { input, values, want }) => {
  expect([...fromUint8(Uint8Array.from(values), input)]).toEqual(want.map(Math.fround));
});
