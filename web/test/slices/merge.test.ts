import { expect, test, vi } from "vitest";
import type { Detection } from "../../src/api/types.js";
import { type MergeRules, mergeDetections } from "../../src/slices/merge.js";
import { Neighbours } from "../../src/slices/neighbours.js";
import { UPRIGHT } from "../../src/slices/sliced-task.js";
import { casesOf } from "../support/conformance.js";

const BOXES = { field: "detections", ...UPRIGHT } as const;

type Corners = [number, number, number, number];

interface Case extends MergeRules {
  detections: { box: Corners; score: number; classIndex: number }[];
  want: { detection: number; box: Corners }[];
}

/** A detection labelled with its index. */
function detection(box: Corners, score: number, classIndex: number, place: number): Detection {
  const [x1, y1, x2, y2] = box;
  return { box: { x1, y1, x2, y2 }, score, classIndex, label: `${place}` };
}

test.each(casesOf<Case>("slice-merging"))("%s", (_, { detections, want, ...rules }) => {
  const found = detections.map(({ box, score, classIndex }, at) => detection(box, score, classIndex, at));
  const before = structuredClone(found);
  const merged = mergeDetections(found, rules, BOXES);
  expect(merged).toEqual(
    want.map(({ detection: at, box }) => {
      const { score = 0, classIndex = 0 } = detections[at] ?? {};
      return detection(box, score, classIndex, at);
    }),
  );
  expect(found).toEqual(before);
});

const RULES: MergeRules = { merge: "greedy-nmm", metric: "ios", threshold: 0.5 };

/** Detections in a row, each `width` steps wide. */
function inRow(count: number, width: number): Detection[] {
  return Array.from({ length: count }, (_, at) => detection([at, 0, at + width, 10], 1 - at / count, 0, at));
}

test.each([
  ["apart", 1, RULES, 10_000],
  ["a few neighbours", 10, RULES, 1_667],
  ["all on one another", 100_000, RULES, 1],
  ["all on one another, no two of them alike", 100_000, { ...RULES, metric: "iou", threshold: 1 }, 10_000],
] as const)("10,000 detections, %s", (_, width, rules, kept) => {
  expect(mergeDetections(inRow(10_000, width), rules, BOXES)).toHaveLength(kept);
});

test("a box is compared only with boxes that begin near it", () => {
  const row = inRow(10_000, 10);
  const boxes = row.flatMap((_, at) => row[(at * 7919) % row.length] ?? []);
  const neighbours = new Neighbours(boxes, RULES);
  const compared = vi.spyOn(Math, "min");
  for (const at of boxes.keys()) if (neighbours.isLeft(at)) neighbours.take(at);
  const count = compared.mock.calls.length;
  compared.mockRestore();
  expect(count).toBeGreaterThan(10_000);
  expect(count).toBeLessThan(10_000 * 100);
});
