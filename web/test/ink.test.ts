import { expect, test } from "vitest";
import type { FindingTask } from "../page/found.js";
import { classColor, foundColor, plain } from "../page/ink.js";

const CLASSES = Array.from({ length: 80 }, (_, index) => `class ${index}`);

test("one class has no colour", () => {
  expect(classColor(["person"], 0)).toBeNull();
});

test("a class keeps its colour, whatever else the model knows", () => {
  expect(classColor(CLASSES, 2)).toBe(classColor(["person", "bicycle", "car"], 2));
});

test("eight classes in a row have eight colours", () => {
  const colors = new Set(CLASSES.slice(20, 28).map((_, at) => classColor(CLASSES, 20 + at)));
  expect(colors.size).toBe(8);
});

test.each([-1, -7, Number.NaN])("index %d, which no class has, is drawn plain", (index) => {
  expect(classColor(CLASSES, index)).toBe(plain);
});

test.each([
  ["segment", ["cup"], [true, true]],
  ["segment", ["cup", "dog"], [true, false]],
  ["detect", ["cup"], [false, false]],
] as const)("of task %s with the classes %j", (kind, classes, [colored, apart]) => {
  const task = { kind, classes } as unknown as FindingTask;
  const cup = { box: { x1: 0, y1: 0, x2: 1, y2: 1 }, score: 1, classIndex: 0, label: "cup" };
  const [first, second] = [foundColor(task, cup, 0), foundColor(task, cup, 1)];
  expect([first !== null, first !== second]).toEqual([colored, apart]);
});
