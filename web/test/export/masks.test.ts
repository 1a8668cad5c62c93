import { expect, test } from "vitest";
import { outlines, type Polygon, signedArea } from "../../src/export/polygons.js";
import { compressRuns, countPixels, runLengths } from "../../src/export/rle.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  rows: string[];
  want: { counts: string; area: number; groups: number };
}

const CASES = casesOf<Case>("coco-masks");

function read({ rows }: Case) {
  const width = rows[0]?.length ?? 0;
  const inside = (x: number, y: number): boolean => rows[y]?.[x] === "1";
  return { width, height: rows.length, inside };
}

test.each(CASES)("%s: run lengths equal pycocotools'", (_, each) => {
  const { width, height, inside } = read(each);
  const runs = runLengths(width, height, inside);
  expect(countPixels(runs)).toBe(each.want.area);
  expect(compressRuns(runs)).toBe(each.want.counts);
});

test.each(CASES)("%s: each connected region has an outline, which encloses it and its holes", (_, each) => {
  const { width, height, inside } = read(each);
  const polygons = outlines({ left: 0, top: 0, right: width, bottom: height }, inside);
  expect(polygons).toHaveLength(each.want.groups);
  const enclosed = polygons.reduce((sum, polygon) => sum + signedArea(polygon), 0);
  expect(enclosed).toBeGreaterThanOrEqual(each.want.area);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1)
      if (inside(x, y)) expect(polygons.some((polygon) => holds(polygon, x + 0.5, y + 0.5))).toBe(true);
});

test("an outline has only corner points, along the pixel edges", () => {
  const inside = (x: number, y: number): boolean => y < 2 && (x < 3 || y === 0);
  expect(outlines({ left: 0, top: 0, right: 5, bottom: 4 }, inside)).toEqual([
    [0, 0, 5, 0, 5, 1, 3, 1, 3, 2, 0, 2],
  ]);
});

/** Whether a polygon contains a point: a ray to the right crosses its sides an odd number of times. */
function holds(polygon: Polygon, x: number, y: number): boolean {
  let odd = false;
  for (let i = 0; i < polygon.length; i += 2) {
    const [x1 = 0, y1 = 0] = [polygon[i], polygon[i + 1]];
    const [x2 = 0, y2 = 0] = [polygon[(i + 2) % polygon.length], polygon[(i + 3) % polygon.length]];
    if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) odd = !odd;
  }
  return odd;
}
