import { expect, test } from "vitest";
import type { TextBoxesTask } from "../../src/manifest/manifest.js";
import type { Geometry, Size } from "../../src/preprocess/letterbox.js";
import type { Polygon } from "../../src/tasks/text-boxes/result.js";
import { decodeTextBoxes } from "../../src/tasks/text-boxes/task.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: TextBoxesTask;
  letterbox: Geometry;
  input: Size;
  levels: string[];
  want: { polygon: Polygon; score: number }[];
  tolerance: number;
}

const cases = casesOf<Case>("text-boxes");

function mapOf(levels: string[], level: (part: number) => number) {
  const cells = Float32Array.from(levels.join(""), (digit) => level(Number.parseInt(digit, 16) / 15));
  return { width: levels[0]?.length ?? 0, height: levels.length, cells };
}

test.each(cases)("%s", (_, { task, letterbox, input, levels, want, tolerance }) => {
  const probable = mapOf(levels, (part) => part);
  const logits = mapOf(levels, (part) => Math.log(part / (1 - part)));
  for (const [activation, map] of [
    ["none", probable],
    ["sigmoid", logits],
  ] as const) {
    const got = decodeTextBoxes({ ...task, activation }, letterbox, map, input, task.confidence);
    expect(got).toHaveLength(want.length);
    for (const [index, { polygon, score }] of want.entries()) {
      const one = got[index];
      expectClose(one?.polygon.flat() ?? [], polygon.flat(), tolerance);
      expectClose([one?.score ?? Number.NaN], [score], tolerance);
      const x = polygon.map(([each]) => each);
      expectClose([one?.box.x1 ?? -1, one?.box.x2 ?? -1], [Math.min(...x), Math.max(...x)], tolerance);
      expect(one).toMatchObject({ classIndex: 0, label: "text" });
    }
  }
});

test("a map of a photograph's size is decoded in time", () => {
  const side = 960;
  const cells = new Float32Array(side * side);
  for (let line = 0; line < 200; line++) {
    const [left, top] = [(line % 8) * 118 + 6, Math.floor(line / 8) * 38 + 6];
    for (let y = top; y < top + 14; y++) cells.fill(0.9, y * side + left, y * side + left + 100);
  }
  const [[, first] = []] = cases;
  if (first === undefined) throw new Error("there are no cases");
  const geometry = { source: { width: side, height: side }, left: 0, top: 0, width: side, height: side };
  const times = Array.from({ length: 15 }, () => {
    const start = performance.now();
    const found = decodeTextBoxes(first.task, geometry, { width: side, height: side, cells }, geometry, 0.6);
    expect(found).toHaveLength(200);
    return performance.now() - start;
  });
  expect(Math.min(...times)).toBeLessThan(200); // 12 ms on an idle machine
});
