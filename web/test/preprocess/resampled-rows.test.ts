import { describe, expect, test } from "vitest";
import type { Letterbox } from "../../src/manifest/manifest.js";
import type { Pixels } from "../../src/preprocess/canvas-pixels.js";
import { type Taps, taps } from "../../src/preprocess/resample.js";
import { resampledRows } from "../../src/preprocess/resampled-rows.js";

const INTERPOLATIONS: Letterbox["interpolation"][] = ["nearest", "bilinear", "bilinear-antialias", "bicubic"];
/** The largest side of an image, and of the resampled image. */
const MOST = 70;

function randomSide(): number {
  return 1 + Math.floor(Math.random() * MOST);
}

function randomPicture(width: number, height: number, alpha: () => number): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let at = 0; at < data.length; at++) data[at] = at % 4 === 3 ? alpha() : Math.random() * 256;
  return { width, height, data };
}

/** The definition, one number at a time. */
function expectedRows({ width, data }: Pixels, columns: Taps, rows: Taps): number[][] {
  const overWhite = (x: number, y: number, channel: number): number => {
    const at = (y * width + x) * 4;
    const alpha = (data[at + 3] ?? 0) / 255;
    return (data[at + channel] ?? 0) * alpha + 255 * (1 - alpha);
  };
  const sum = ({ count, at, weights }: Taps, output: number, valueAt: (place: number) => number): number => {
    let total = 0;
    for (let tap = output * count; tap < (output + 1) * count; tap++)
      if (weights[tap] !== 0) total += (weights[tap] ?? 0) * valueAt(at[tap] ?? 0);
    return total;
  };
  const places = ({ at, count }: Taps) => Array.from({ length: at.length / count }, (_, output) => output);
  return places(rows).map((row) =>
    places(columns).flatMap((column) =>
      [0, 1, 2].map((channel) =>
        sum(rows, row, (y) => sum(columns, column, (x) => overWhite(x, y, channel))),
      ),
    ),
  );
}

function gotRows(pixels: Pixels, columns: Taps, rows: Taps): number[][] {
  const got: number[][] = [];
  for (const row of resampledRows(pixels, columns, rows)) got.push([...row]);
  return got;
}

describe.each(INTERPOLATIONS)("the kernel and the definition give the same bits: %s", (interpolation) => {
  test.each([
    ["opaque", () => 255],
    ["translucent", () => Math.random() * 256],
    ["opaque but for some rows", () => (Math.random() < 0.995 ? 255 : 7)],
  ])("%s", (_, alpha) => {
    for (let round = 0; round < 25; round++) {
      const [width, height, newWidth, newHeight] = Array.from({ length: 4 }, randomSide) as [
        number,
        number,
        number,
        number,
      ];
      const pixels = randomPicture(width, height, alpha);
      const columns = taps(interpolation, width, newWidth, 0, newWidth);
      const first = Math.floor(Math.random() * newHeight);
      const rows = taps(interpolation, height, newHeight, first, newHeight);
      const sizes = `${width} x ${height} to ${newWidth} x ${newHeight}, from row ${first}`;
      expect(gotRows(pixels, columns, rows), sizes).toEqual(expectedRows(pixels, columns, rows));
    }
  });
});

test("two images can be resampled at the same time", () => {
  const [a, b] = [randomPicture(30, 40, () => 255), randomPicture(50, 20, () => 255)];
  const tapsOf = ({ width, height }: Pixels) =>
    [taps("bicubic", width, 16, 0, 16), taps("bicubic", height, 16, 0, 16)] as const;
  const other = resampledRows(b, ...tapsOf(b));
  const got: number[][][] = [];
  for (const row of resampledRows(a, ...tapsOf(a))) got.push([[...row], [...(other.next().value ?? [])]]);
  const [wantA, wantB] = [expectedRows(a, ...tapsOf(a)), expectedRows(b, ...tapsOf(b))];
  expect(got).toEqual(wantA.map((row, at) => [row, wantB[at]]));
});
