import { expect, test } from "vitest";
import type { PictureSize } from "../../src/api/types.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { VariantChoice } from "../../src/runs/variant-choice.js";

const variant = (batch: number, width: number) =>
  ({
    inputs: [{ kind: "crop", layout: "nchw", aspect: "line", shape: [batch, 3, 10, width] }],
  }) as unknown as Manifest;
const choice = new VariantChoice([40, 80, 160].flatMap((width) => [variant(1, width), variant(4, width)]));

test("a line runs at the narrowest width that fits, lines of one width together", () => {
  const lines: PictureSize[] = [
    [81, 10],
    [40, 10],
    [4, 1],
    [400, 10],
    [41, 10],
    [0, 0],
  ];
  expect(choice.partsBySize(lines)).toEqual([
    { size: [160, 10], parts: [0, 3, 5] },
    { size: [40, 10], parts: [1, 2] },
    { size: [80, 10], parts: [4] },
  ]);
});

test("other parts run at the first size, whatever their own", () => {
  expect(choice.partsBySize([null, null])).toEqual([{ size: null, parts: [0, 1] }]);
  expect(new VariantChoice([variant(1, 40)]).partsBySize([[400, 10], null])).toEqual([
    { size: null, parts: [0, 1] },
  ]);
});
