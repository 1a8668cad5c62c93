import { expect, test } from "vitest";
import type { TilePlan } from "../../src/manifest/manifest.js";
import type { Size } from "../../src/preprocess/letterbox.js";
import { tilesOf } from "../../src/tiles/plan.js";
import { putTile } from "../../src/tiles/tile-pixels.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  picture: Size;
  tile: Size;
  plan: TilePlan;
  scale: number;
  levels: number[];
  want: { rows: number[][] };
  tolerance: number;
}

/** The levels of a result, row by row, from tiles of one level each. */
function joined({ picture, tile, plan, scale, levels }: Case): number[][] {
  const [width, height] = [picture.width * scale, picture.height * scale];
  const result = new ImageData(width, height);
  const tiles = tilesOf(picture, tile, plan);
  expect(levels).toHaveLength(tiles.length);
  for (const [at, each] of tiles.entries()) {
    const drawn = new ImageData(tile.width * scale, tile.height * scale);
    drawn.data.fill(levels[at] ?? 0);
    putTile(result, drawn, each, scale, plan.feather);
  }
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => result.data[(y * width + x) * 4] ?? Number.NaN),
  );
}

const cases = casesOf<Case>("tile-blend");

test.each(cases)("%s", (_, given) => {
  const apart = joined(given).flatMap((row, y) =>
    row.map((level, x) => Math.abs(level - (given.want.rows[y]?.[x] ?? Number.NaN))),
  );
  expect(Math.max(...apart)).toBeLessThanOrEqual(given.tolerance);
});

test.each(cases.filter(([name]) => name !== "exact"))("%s has no larger step than a ramp", (_, given) => {
  const { plan, scale, levels, tolerance } = given;
  const rows = joined(given);
  const steps = rows.flatMap((row, y) =>
    row.flatMap((level, x) =>
      [rows[y + 1]?.[x], row[x + 1]].map((next) => Math.abs((next ?? level) - level)),
    ),
  );
  // at most three roundings to 8 bits on each side
  const most = (Math.max(...levels) - Math.min(...levels)) / (2 * plan.feather * scale) + 2 * tolerance;
  expect(Math.max(...steps)).toBeLessThanOrEqual(most);
});
