// Number inputs next to an image: the caller's value, else the bundle's default.

import { expect, test } from "vitest";
import { numberFeeds } from "../../src/inputs/number-inputs.js";
import { completeFeeds } from "../../src/inputs/validate-inputs.js";
import type { NumberInput } from "../../src/manifest/manifest.js";

const exposure: NumberInput = {
  kind: "number",
  name: "exposure",
  dtype: "float32",
  shape: [1, 1],
  default: 0.5,
};

test.each([
  [undefined, 0.5],
  [{}, 0.5],
  [{ exposure: undefined }, 0.5],
  [{ exposure: 2 }, 2],
])("%j becomes %d", (given, value) => {
  const data = Float32Array.of(value);
  expect(numberFeeds([exposure], given)).toEqual({ exposure: { type: "float32", dims: [1, 1], data } });
});

test.each([
  [{ gain: 1 }, "takes no number gain"],
  [{ exposure: Number.NaN }, "wanted a finite number for exposure, got NaN"],
  [{ exposure: "2" as unknown as number }, 'wanted a finite number for exposure, got "2"'],
])("%j is refused", (given, message) => {
  expect(() => numberFeeds([exposure], given)).toThrow(message);
});

test("a run of tensors without the number uses the default", () => {
  expect(completeFeeds([exposure], {}).exposure?.data).toEqual(Float32Array.of(0.5));
});
