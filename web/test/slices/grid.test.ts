import { expect, test } from "vitest";
import { sliceGrid } from "../../src/slices/grid.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  picture: [number, number];
  size: [number, number];
  overlap: number;
  want: number[][];
}

const sizeOf = ([width, height]: [number, number]) => ({ width, height });

test.each(casesOf<Case>("slice-grid"))("%s", (_, { picture, size, overlap, want }) => {
  const slices = sliceGrid(sizeOf(picture), sizeOf(size), overlap);
  const corners = slices.map(({ left, top, width, height }) => [left, top, left + width, top + height]);
  expect(corners).toEqual(want);
});

test("too many slices are refused before they are made", () => {
  const picture = sizeOf([8000, 8000]);
  expect(sliceGrid(picture, sizeOf([80, 80]), 0)).toHaveLength(10_000);
  for (const [size, overlap] of [
    [79, 0],
    [640, 0.999],
    [1, 0],
  ] as const)
    expect(() => sliceGrid(picture, sizeOf([size, size]), overlap)).toThrow(
      expect.objectContaining({ code: "invalid-option", fix: expect.stringContaining("larger size") }),
    );
});
