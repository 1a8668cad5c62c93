import { expect, test } from "vitest";
import type { LineSplit } from "../../src/manifest/manifest.js";
import { lineParts } from "../../src/preprocess/crop/line-parts.js";
import { casesOf } from "../support/conformance.js";
import { CROP_INPUT, cropBox } from "../support/crops.js";

interface PartsCase {
  split: LineSplit;
  tolerance: number;
  cases: {
    box: [number, number, number, number];
    want: { polygon: [number, number][]; begin: number; overlap: number }[];
  }[];
}

test.each(casesOf<PartsCase>("line-parts"))("conformance: %s", (_name, { split, tolerance, cases }) => {
  for (const { box, want } of cases) {
    const line = cropBox({ box, points: [] });
    const parts = lineParts(line, { ...CROP_INPUT, aspect: "line", split });
    if (want.length === 0) {
      expect(parts).toEqual([line]);
      continue;
    }
    const numbers = parts.map(({ polygon, part }) => [polygon?.flat(), part?.begin, part?.overlap].flat());
    const wanted = want.map(({ polygon, begin, overlap }) => [...polygon.flat(), begin, overlap]);
    expect(parts.every(({ part }) => part?.line === line)).toBe(true);
    expect(numbers.map((each) => each.length)).toEqual(wanted.map((each) => each.length));
    for (const [at, each] of wanted.flat().entries())
      expect(Math.abs((numbers.flat()[at] ?? Number.NaN) - each)).toBeLessThanOrEqual(tolerance);
  }
});

test("without a split a line is read whole", () => {
  const line = cropBox({ box: [0, 0, 1000, 10], points: [] });
  expect(lineParts(line, { ...CROP_INPUT, aspect: "line" })).toEqual([line]);
});
