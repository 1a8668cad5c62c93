import { expect, test } from "vitest";
import type { Mask, OrientedObject, Segment } from "../../src/api/types.js";
import { type MergeRules, mergeDetections } from "../../src/slices/merge.js";
import { ROTATED } from "../../src/tasks/obb/sliced.js";
import { MASKED } from "../../src/tasks/segment/sliced.js";
import { casesOf } from "../support/conformance.js";

type Row = [x: number, y: number, width: number, height: number, angle: number];

interface TurnedCase extends Omit<MergeRules, "merge"> {
  detections: { turned: Row; score: number; classIndex: number }[];
  want: number[];
}

/** A rotated box labelled with its index. */
function turned(
  [x, y, width, height, angle]: Row,
  more: Pick<OrientedObject, "score" | "classIndex" | "label">,
) {
  const [cosine, sine] = [Math.cos(angle), Math.sin(angle)];
  const corner = (along: number, down: number) => ({
    x: x + (along * width * cosine - down * height * sine) / 2,
    y: y + (along * width * sine + down * height * cosine) / 2,
  });
  const corners: OrientedObject["corners"] = [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
  const box = { x1: 0, y1: 0, x2: 0, y2: 0 }; // it may be cut at an edge of the image
  return { ...more, box, center: { x, y }, width, height, angle, corners };
}

test.each(casesOf<TurnedCase>("slice-merging-turned"))(
  "rotated boxes, %s",
  (_, { detections, want, ...rules }) => {
    const found = detections.map(({ turned: row, ...more }, at) => turned(row, { ...more, label: `${at}` }));
    for (const merge of ["nms", "greedy-nmm"] as const) {
      const merged = mergeDetections(found, { ...rules, merge }, ROTATED);
      expect(merged).toEqual(want.map((at) => found[at]));
    }
  },
);

test("10,000 rotated boxes that cross their neighbours are all kept, and their duplicates are not", () => {
  const crossed = Array.from({ length: 5000 }, (_, at) =>
    turned([(at % 100) * 40, Math.floor(at / 100) * 40, 60, 6, at], {
      score: 1 - at / 20_000,
      classIndex: 0,
      label: `${at}`,
    }),
  );
  const copies = crossed.map((each) => ({ ...each, score: each.score / 2 }));
  const rules = { merge: "nms", metric: "iou", threshold: 0.5 } as const;
  expect(mergeDetections([...copies, ...crossed], rules, ROTATED)).toEqual(crossed);
});

interface WrittenMask {
  x: number;
  y: number;
  cell: number;
  rows: string[];
}

interface MaskedCase extends MergeRules {
  detections: { box: number[]; score: number; classIndex: number; mask: WrittenMask }[];
  want: { detection: number; box: number[]; mask: WrittenMask }[];
}

function read({ x, y, cell, rows }: WrittenMask): Mask {
  const columns = rows[0]?.length ?? 0;
  const data = Uint8Array.from(rows.join(""), Number);
  return { x, y, width: columns * cell, height: rows.length * cell, columns, rows: rows.length, data };
}

function segment(
  [x1 = 0, y1 = 0, x2 = 0, y2 = 0]: number[],
  mask: WrittenMask,
  more: Pick<Segment, "score" | "classIndex" | "label">,
): Segment {
  return { ...more, box: { x1, y1, x2, y2 }, mask: read(mask) };
}

test.each(casesOf<MaskedCase>("slice-merging-masks"))("masks, %s", (_, { detections, want, ...rules }) => {
  const found = detections.map(({ box, mask, ...more }, at) =>
    segment(box, mask, { ...more, label: `${at}` }),
  );
  const before = structuredClone(found);
  const merged = mergeDetections(found, rules, MASKED);
  expect(merged).toEqual(
    want.map(({ detection: at, box, mask }) => {
      const { score = 0, classIndex = 0 } = detections[at] ?? {};
      return segment(box, mask, { score, classIndex, label: `${at}` });
    }),
  );
  expect(found).toEqual(before);
});

test("a rotated box is mapped from its slice to the image, its upright box clipped to the image", () => {
  const found = turned([5, 10, 40, 10, Math.PI / 6], { score: 0.9, classIndex: 0, label: "ship" });
  const moved = ROTATED.move(found, { left: 30, top: 0, width: 20, height: 20 }, { width: 50, height: 18 });
  expect(moved.center).toEqual({ x: 35, y: 10 });
  expect(moved.corners.map(({ x }) => x - 30)).toEqual(found.corners.map(({ x }) => expect.closeTo(x, 9)));
  const across = 20 * Math.cos(Math.PI / 6) + 5 * Math.sin(Math.PI / 6);
  expect(moved.box).toEqual({ x1: expect.closeTo(35 - across, 9), y1: 0, x2: 50, y2: 18 });
});
