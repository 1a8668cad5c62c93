import { expect, test } from "vitest";
import { fromLevels } from "../src/levels.js";
import type { ImageInput } from "../src/manifest.js";
import { room } from "./conformance.js";

interface Case {
  input: ImageInput;
  levels: number[];
  want: number[];
}

test.each(room<Case>("levels"))("%s", (_, { input, levels, want }) => {
  expect([...fromLevels(Uint8Array.from(levels), input)]).toEqual(want.map(Math.fround));
});
