import { expect, test } from "vitest";
import type { Pixels } from "../../src/preprocess/canvas-pixels.js";
import { tilesOf } from "../../src/tiles/plan.js";
import { cutOut, makeOpaque, putAlpha, putTile } from "../../src/tiles/tile-pixels.js";

const PLAN = { halo: 2, multiple: 1 };
const TILE = { width: 8, height: 8 };

function pixels(width: number, height: number, at: (x: number, y: number) => number[]): Pixels {
  const data = new Uint8ClampedArray(width * height * 4);
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data.set(at(x, y), (y * width + x) * 4);
  return { width, height, data };
}

function blank(width: number, height: number): Pixels {
  return { width, height, data: new Uint8ClampedArray(width * height * 4) };
}

/** Each pixel as a block of 2 x 2. */
function doubled({ width, height, data }: Pixels): Pixels {
  return pixels(width * 2, height * 2, (x, y) => {
    const at = ((y >> 1) * width + (x >> 1)) * 4;
    return [...data.subarray(at, at + 4)];
  });
}

const PICTURE = pixels(21, 13, (x, y) => [x, y, 10 * x + y, 255]);

test("a crop beyond the edges repeats the last pixels", () => {
  const tile = cutOut(
    pixels(2, 1, (x) => [x + 1, 0, 0, 40]),
    1,
    0,
    { width: 2, height: 2 },
  );
  expect([...tile.data]).toEqual([2, 0, 0, 40, 2, 0, 0, 40, 2, 0, 0, 40, 2, 0, 0, 40]);
  makeOpaque(tile);
  expect([...tile.data]).toEqual([2, 0, 0, 255, 2, 0, 0, 255, 2, 0, 0, 255, 2, 0, 0, 255]);
});

test.each([0, 1])("tiles of a pixel-doubling model give the doubled image; feather %i", (feather) => {
  const result = blank(42, 26);
  for (const tile of tilesOf(PICTURE, TILE, PLAN)) {
    const cut = cutOut(PICTURE, tile.column.offset, tile.row.offset, TILE);
    putTile(result, doubled(cut), tile, 2, feather);
  }
  expect(result.data).toEqual(doubled(PICTURE).data);
});

test("differing tiles are blended, the later into the earlier", () => {
  const wide = { width: 12, height: 8 };
  const result = blank(wide.width, wide.height);
  const tiles = tilesOf(wide, TILE, PLAN);
  const placed = tiles.map((tile, at) =>
    putTile(
      result,
      pixels(8, 8, () => [100 * at, 0, 0, 255]),
      tile,
      1,
      2,
    ),
  );
  const [first, second] = placed;
  expect(placed).toHaveLength(2);
  expect(first).toEqual({ x: 0, y: 0, width: 8, height: 8 });
  expect(second).toEqual({ x: 4, y: 0, width: 8, height: 8 });
  const row = Array.from({ length: 12 }, (_, x) => result.data[x * 4]);
  expect(row).toEqual([0, 0, 0, 0, 12, 38, 62, 88, 100, 100, 100, 100]);
});

test("alpha is enlarged separately, and colours are not premultiplied", () => {
  const result = pixels(4, 2, () => [9, 8, 7, 255]);
  putAlpha(
    result,
    pixels(2, 1, (x) => [0, 0, 0, x * 200]),
  );
  const row = Array.from({ length: 4 }, (_, x) => [...result.data.subarray(x * 4, x * 4 + 4)]);
  expect(row).toEqual([0, 50, 150, 200].map((alpha) => [9, 8, 7, alpha]));
});

test("an opaque image gives an opaque result", () => {
  const result = pixels(4, 2, () => [1, 2, 3, 255]);
  putAlpha(
    result,
    pixels(2, 1, () => [0, 0, 0, 255]),
  );
  expect(result.data.filter((_, at) => at % 4 === 3).every((alpha) => alpha === 255)).toBe(true);
});
