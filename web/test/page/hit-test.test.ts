import { expect, test } from "vitest";
import { hitTest } from "../../page/drawing/hit-test.js";
import type { AnyDetection } from "../../page/results/detections.js";

const FIT = { left: 10, top: 20, width: 200, height: 200, scale: 2, mirrored: false };
const CUP = { score: 1, classIndex: 0, label: "cup" };
const upright: AnyDetection = { ...CUP, box: { x1: 10, y1: 10, x2: 90, y2: 90 } };
/** A square standing on a corner, inside the hull 30..70. */
const turned: AnyDetection = {
  ...CUP,
  box: { x1: 30, y1: 30, x2: 70, y2: 70 },
  center: { x: 50, y: 50 },
  width: Math.hypot(20, 20),
  height: Math.hypot(20, 20),
  angle: Math.PI / 4,
  corners: [
    { x: 50, y: 30 },
    { x: 70, y: 50 },
    { x: 50, y: 70 },
    { x: 30, y: 50 },
  ],
};

test.each([
  ["the middle, where both lie", 50, 50, 1],
  ["a corner of the turned one's hull", 33, 33, 0],
  ["outside both", 95, 95, null],
])("%s", (_, x, y, want) => {
  expect(hitTest([upright, turned], FIT, 10 + 2 * x, 20 + 2 * y)).toBe(want);
});

test("a mirrored image is hit where it is seen", () => {
  const right: AnyDetection = { ...CUP, box: { x1: 0, y1: 0, x2: 20, y2: 100 } };
  const mirrored = { ...FIT, mirrored: true };
  expect(hitTest([right], mirrored, 200, 100)).toBe(0);
  expect(hitTest([right], mirrored, 20, 100)).toBeNull();
  expect(hitTest([turned], mirrored, 110, 120)).toBe(0);
});
