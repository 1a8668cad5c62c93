import { describe, expect, test } from "vitest";
import type { Box } from "../../src/api/types.js";
import { OverlappingBoxes } from "../../src/suppression/overlapping-boxes.js";

const box = (x1: number, y1: number, width: number, height: number): Box => ({
  x1,
  y1,
  x2: x1 + width,
  y2: y1 + height,
});

function visited(boxes: readonly Box[], one: Box): number[] {
  const found: number[] = [];
  new OverlappingBoxes(boxes).visit(one, (number) => found.push(number));
  return found.sort((a, b) => a - b);
}

describe("the boxes that overlap one", () => {
  test("share an area with it, along whichever axis they are apart", () => {
    for (const turned of [false, true]) {
      const row = Array.from({ length: 50 }, (_, at) =>
        turned ? box(0, at * 3, 9, 7) : box(at * 3, 0, 7, 9),
      );
      const one = row[20] ?? box(0, 0, 0, 0);
      expect(visited(row, one)).toEqual([18, 19, 20, 21, 22]);
    }
  });

  test("exclude boxes that only touch it, and boxes with a NaN side", () => {
    const others = [box(10, 0, 5, 5), box(0, 10, 5, 5), box(2, 2, Number.NaN, 5), box(4, 4, 2, 2)];
    expect(visited(others, box(0, 0, 10, 10))).toEqual([3]);
    expect(visited(others, box(Number.NaN, 0, 10, 10))).toEqual([]);
    expect(visited([], box(0, 0, 10, 10))).toEqual([]);
  });

  test("are visited until one callback returns true", () => {
    const boxes = new OverlappingBoxes([box(0, 0, 9, 9), box(1, 0, 9, 9), box(2, 0, 9, 9)]);
    const found: number[] = [];
    boxes.visit(box(0, 0, 9, 9), (number) => found.push(number) < 2);
    expect(found).toHaveLength(2);
  });

  test("of 10,000 in a column are found as fast as of 10,000 in a row", () => {
    const times = [(at: number) => box(at * 12, 0, 10, 600), (at: number) => box(0, at * 12, 600, 10)].map(
      (place) => {
        const boxes = Array.from({ length: 10_000 }, (_, at) => place(at));
        const took = Array.from({ length: 5 }, () => {
          const begun = performance.now();
          const index = new OverlappingBoxes(boxes);
          for (const each of boxes) index.visit(each, () => {});
          return performance.now() - begun;
        });
        return Math.min(...took);
      },
    );
    expect(Math.max(...times)).toBeLessThan(Math.min(...times) * 15 + 5);
  });
});
