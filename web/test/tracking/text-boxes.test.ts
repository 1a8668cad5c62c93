import { expect, test } from "vitest";
import type { TextBox, TextBoxesResult } from "../../src/api/types.js";
import { Tracker } from "../../src/tracking/tracker.js";

function textAt(x: number, y: number): TextBox {
  const [x2, y2] = [x + 120, y + 24];
  return {
    ...{ box: { x1: x, y1: y, x2, y2 }, score: 0.9, classIndex: 0, label: "text" },
    polygon: [
      [x, y],
      [x2, y],
      [x2, y2],
      [x, y2],
    ],
  };
}

test("text keeps its id while it moves, whatever the reading order", () => {
  const tracker = new Tracker();
  const ids = [0, 1, 2, 3].map((frame) => {
    const [one, other] = [textAt(20 + 4 * frame, 40), textAt(300, 42 - 3 * frame)];
    const detections = frame % 2 ? [other, one] : [one, other];
    tracker.update({ kind: "text-boxes", width: 640, height: 480, detections } as TextBoxesResult);
    return [one.track, other.track];
  });
  expect(ids).toEqual(Array(4).fill([1, 2]));
});
