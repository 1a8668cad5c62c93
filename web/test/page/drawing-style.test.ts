import { expect, test } from "vitest";
import { classColor, defaultColor, detectionColor } from "../../page/drawing/drawing-style.js";

const CLASSES = Array.from({ length: 80 }, (_, index) => `class ${index}`);

test("a single class has no colour", () => {
  expect(classColor(["person"], 0)).toBeNull();
});

test("a class keeps its colour, whatever other classes exist", () => {
  expect(classColor(CLASSES, 2)).toBe(classColor(["person", "bicycle", "car"], 2));
});

test("eight consecutive classes have eight colours", () => {
  const colors = new Set(CLASSES.slice(20, 28).map((_, at) => classColor(CLASSES, 20 + at)));
  expect(colors.size).toBe(8);
});

test.each([-1, -7, Number.NaN])("an invalid index %d is drawn without a colour", (index) => {
  expect(classColor(CLASSES, index)).toBe(defaultColor);
});

test.each([
  [true, ["cup"], [true, true]],
  [true, ["cup", "dog"], [true, false]],
  [false, ["cup"], [false, false]],
] as const)("coloured by rank: %s, for the classes %j", (colorByRank, classes, [colored, apart]) => {
  const style = { classes, colorByRank };
  const cup = { box: { x1: 0, y1: 0, x2: 1, y2: 1 }, score: 1, classIndex: 0, label: "cup" };
  const [first, second] = [detectionColor(style, cup, 0), detectionColor(style, cup, 1)];
  expect([first !== null, first !== second]).toEqual([colored, apart]);
});
