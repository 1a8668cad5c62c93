import { expect, test } from "vitest";
import { fitsHalo, type Span, tileSpans, tilesOf } from "../../src/tiles/plan.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  length: number;
  size: number;
  halo: number;
  multiple: number;
  want: { spans: Span[] };
}

test.each(casesOf<Case>("tiles"))("%s", (_, { length, size, want, ...plan }) => {
  expect(tileSpans(length, size, plan)).toEqual(want.spans);
});

/** Numbers that are the same in each run. */
function randomly(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

test("every pixel is kept from one tile, with its halo around it or the image's edge", () => {
  const below = randomly(1);
  for (let round = 0; round < 100; round++) {
    const multiple = 1 + below(16);
    const tile = { width: multiple + below(200), height: multiple + below(200) };
    const halo = below(Math.floor((Math.min(tile.width, tile.height) - multiple) / 2) + 1);
    const picture = { width: 1 + below(700), height: 1 + below(700) };
    const plan = { halo, multiple };
    expect(fitsHalo(tile, plan)).toBe(true);
    const kept = new Uint8Array(picture.width * picture.height);
    for (const { column, row } of tilesOf(picture, tile, plan)) {
      for (const [span, size, length] of [
        [column, tile.width, picture.width],
        [row, tile.height, picture.height],
      ] as const) {
        expect(span.offset % multiple).toBe(0);
        expect(span.start === 0 || span.start - span.offset >= halo).toBe(true);
        expect(span.end === length || span.offset + size - span.end >= halo).toBe(true);
      }
      for (let y = row.start; y < row.end; y++)
        for (let x = column.start; x < column.end; x++) {
          const at = y * picture.width + x;
          kept[at] = (kept[at] ?? 0) + 1;
        }
    }
    expect(kept.every((count) => count === 1)).toBe(true);
  }
});

test("tiles smaller than their halo do not advance", () => {
  expect(fitsHalo({ width: 64, height: 64 }, { halo: 31, multiple: 2 })).toBe(true);
  expect(fitsHalo({ width: 64, height: 64 }, { halo: 32, multiple: 1 })).toBe(false);
  expect(fitsHalo({ width: 64, height: 20 }, { halo: 8, multiple: 8 })).toBe(false);
});
