import { expect, test } from "vitest";
import { placeLabel } from "../../page/drawing/draw-label.js";
import { withTrack } from "../../page/results/detections.js";
import type { Detection } from "../../src/index.js";

const box = { x1: 0, y1: 0, x2: 1, y2: 1 };
const cat: Detection = { box, label: "cat", classIndex: 0, score: 0.87 };

/** Returns the label text of a box of this width. */
function said(one: Detection, width: number, color: string | null): string | undefined {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  if (context === null) throw new Error("no canvas");
  const place = { x: 0, y: 50, width, height: 40 };
  const about = { stage: { width: 400, height: 300 }, color, highlighted: false };
  const drawn = context as unknown as CanvasRenderingContext2D;
  return placeLabel(drawn, one, place, about)?.text;
}

test.each([
  ["a number that is kept", { ...cat, track: 12 }, null, ["cat 12  0.87", "cat 12", "12"]],
  ["a number and a colour", { ...cat, track: 12 }, "#f00", ["cat 12  0.87", "cat 12", "12"]],
  ["neither", cat, null, ["cat  0.87", "0.87"]],
  ["a colour", cat, "#f00", ["cat  0.87", "cat"]],
] as const)("the narrower a box with %s, the shorter its label", (_, one, color, wanted) => {
  const widths = Array.from({ length: 200 }, (_, width) => 200 - width);
  const texts = widths.flatMap((width) => said(withTrack({ ...one }), width, color) ?? []);
  expect([...new Set(texts)]).toEqual(wanted);
});

test("the label of a highlighted line of text ends inside a narrow stage", () => {
  const context = new OffscreenCanvas(1, 1).getContext("2d") as unknown as CanvasRenderingContext2D;
  const line = { ...cat, label: "a line of text that is wider than the screen of a phone " };
  const stage = { width: 200, height: 300 };
  const place = { x: 50, y: 50, width: 100, height: 9 };
  const label = placeLabel(context, line, place, { stage, color: null, highlighted: true });
  expect(label?.text).toMatch(/^a line of text .+…$/);
  expect((label?.x ?? 0) + (label?.width ?? 0)).toBeLessThanOrEqual(stage.width);
});
