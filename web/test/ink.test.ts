import { expect, test } from "vitest";
import { classColor, plain } from "../page/ink.js";

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
