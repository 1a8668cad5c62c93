import { expect, test } from "vitest";
import { maskRuns } from "../../page/results/mask-runs.js";
import { maskPixels, runLengths } from "../../src/export/rle.js";

const size = { width: 5, height: 20 };
const all = { x1: 0, y1: 0, x2: size.width, y2: size.height };

function mask(inside: (x: number, y: number) => boolean): Uint8Array<ArrayBuffer> {
  const pixels = new Uint8Array(size.width * size.height);
  for (let y = 0, at = 0; y < size.height; y += 1)
    for (let x = 0; x < size.width; x += 1, at += 1) pixels[at] = Number(inside(x, y));
  return pixels;
}

test.each<[string, (x: number, y: number) => boolean, typeof all]>([
  ["nothing", () => false, { x1: 0, y1: 0, x2: 0, y2: 0 }],
  ["everything", () => true, all],
  [
    "a run that goes on in the next slice",
    (x, y) => x > 0 && x < 4 && y > 7,
    { ...all, x1: 1, y1: 8, x2: 4 },
  ],
  ["a run that ends with its slice", (x) => x === 0 || x === 1 || x === 4, all],
  ["stripes", (_, y) => y % 3 === 0, all],
  ["a box in the last slice", (x, y) => x === 4 && y === 9, { x1: 4, y1: 9, x2: 5, y2: 10 }],
])("slices give the run lengths of the whole mask: %s", async (_, inside, box) => {
  for (const columns of [1, 2, 5]) {
    const runs = await maskRuns(mask(inside), box, size, columns * size.height);
    expect([...runs.counts]).toEqual(runLengths(size.width, size.height, inside));
    expect(maskPixels(runs)).toEqual(mask(inside));
  }
});
