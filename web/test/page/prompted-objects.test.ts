import { expect, test } from "vitest";
import { PromptedObjects, promptOf } from "../../page/input/prompted-objects.js";

const box = { x1: 1, y1: 2, x2: 8, y2: 9 };

function clicked(objects: PromptedObjects): number[][] {
  return objects.all.map(({ id, clicks }) => [id, ...clicks.map(({ x }) => x)]);
}

test("clicks go to the selected object, and the first click after its end begins another", () => {
  const objects = new PromptedObjects();
  objects.click({ x: 1, y: 0, label: 1 });
  objects.click({ x: 2, y: 0, label: 0 });
  objects.choose(null);
  objects.click({ x: 3, y: 0, label: 1 });
  objects.choose(0);
  objects.click({ x: 4, y: 0, label: 1 });
  expect(clicked(objects)).toEqual([
    [0, 1, 2, 4],
    [1, 3],
  ]);
});

test("undo goes back click by click and object by object, until nothing is left", () => {
  const objects = new PromptedObjects();
  objects.click({ x: 1, y: 0, label: 1 });
  objects.click({ x: 2, y: 0, label: 1 });
  objects.choose(null);
  objects.click({ x: 3, y: 0, label: 1 });
  const seen: unknown[] = [];
  while (objects.canUndo) {
    objects.undo();
    seen.push([clicked(objects), objects.chosen?.id ?? null]);
  }
  expect(seen).toEqual([
    [[[0, 1, 2]], null],
    [[[0, 1]], 0],
    [[], null],
  ]);
  objects.undo();
  expect(objects.all).toEqual([]);
});

test("undo restores a removed object, and no other object gets its id", () => {
  const objects = new PromptedObjects();
  for (const x of [1, 2]) {
    objects.choose(null);
    objects.click({ x, y: 0, label: 1 });
  }
  objects.removeChosen();
  objects.click({ x: 3, y: 0, label: 1 });
  expect(clicked(objects)).toEqual([
    [0, 1],
    [2, 3],
  ]);
  objects.undo();
  objects.undo();
  expect(clicked(objects)).toEqual([
    [0, 1],
    [1, 2],
  ]);
  expect(objects.chosen?.id).toBe(1);
});

test("an object keeps its last box together with its clicks", () => {
  const objects = new PromptedObjects();
  objects.drag({ ...box, x1: 0 });
  objects.drag(box);
  objects.click({ x: 3, y: 4, label: 0 });
  expect(objects.all.map(promptOf)).toEqual([{ points: [{ x: 3, y: 4 }], labels: [0], box }]);
  objects.undo();
  expect(objects.all.map(promptOf)).toEqual([{ points: [], labels: [], box }]);
});
