import { expect, test } from "vitest";
import { lowerThresholds } from "../../page/input/grid-thresholds.js";

const usual = { score: 0.8, stability: 0.9 };
const mask = (score: number, stability: number) => ({ score, stability });

test("thresholds that one mask reaches stay", () => {
  expect(lowerThresholds([mask(0.1, 0.1), mask(0.85, 0.95)], usual)).toBeNull();
  expect(lowerThresholds([], usual)).toBeNull();
});

test("as in a run, a score must exceed its threshold, and a stability may equal it", () => {
  expect(lowerThresholds([mask(Math.fround(0.8), 0.95)], usual)).toEqual({ score: 0.79, stability: 0.9 });
  expect(lowerThresholds([mask(0.85, Math.fround(0.9))], usual)).toBeNull();
  expect(lowerThresholds([mask(0.25, 1)], usual)?.score).toBe(0.24);
  expect(lowerThresholds([mask(Math.fround(0.37), 1)], usual)?.score).toBe(0.36);
});

test("both are lowered by the same factor, so that a tenth of the masks reach them", () => {
  const masks = Array.from({ length: 20 }, (_, at) => mask(0.8 * (at / 21), 1));
  // The second best of twenty: 18 / 21 of both.
  expect(lowerThresholds(masks, usual)).toEqual({ score: 0.68, stability: 0.77 });
  expect(masks.filter(({ score }) => score > 0.68).length).toBe(2);
});

test("the larger shortfall counts, of the score or of the stability", () => {
  expect(lowerThresholds([mask(0.99, 0.46)], usual)).toEqual({ score: 0.4, stability: 0.46 });
  expect(lowerThresholds([mask(0.415, 0.99)], usual)).toEqual({ score: 0.41, stability: 0.46 });
  expect(lowerThresholds([mask(0.99, 0.001)], usual)).toEqual({ score: 0, stability: 0 });
});
