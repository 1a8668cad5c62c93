import { expect, test } from "vitest";
import { MaskStrokes } from "../../page/input/mask-strokes.js";

const size = { width: 40, height: 30 };

function painted(strokes: MaskStrokes, x: number, y: number): number | undefined {
  return strokes.mask()[y * size.width + x];
}

test("a stroke is as wide as the brush, and passes through all its points", () => {
  const strokes = new MaskStrokes(size);
  strokes.begin({ points: [{ x: 5, y: 15 }], size: 6, erases: false });
  expect([painted(strokes, 5, 15), painted(strokes, 7, 15), painted(strokes, 12, 15)]).toEqual([1, 1, 0]);
  strokes.extend({ x: 20, y: 15 });
  strokes.extend({ x: 20, y: 28 });
  expect([painted(strokes, 12, 15), painted(strokes, 20, 25), painted(strokes, 12, 25)]).toEqual([1, 1, 0]);
});

test("strokes can be erased, undone and cleared", () => {
  const strokes = new MaskStrokes(size);
  expect(strokes.isEmpty).toBe(true);
  strokes.begin({ points: [{ x: 10, y: 10 }], size: 12, erases: false });
  strokes.begin({ points: [{ x: 10, y: 10 }], size: 4, erases: true });
  expect([painted(strokes, 10, 10), painted(strokes, 14, 10)]).toEqual([0, 1]);
  strokes.undo();
  expect(painted(strokes, 10, 10)).toBe(1);
  strokes.clear();
  expect(strokes.mask().some(Boolean)).toBe(false);
  expect(strokes.isEmpty).toBe(true);
});
