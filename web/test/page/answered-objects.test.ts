import { expect, test } from "vitest";
import { AnsweredObjects } from "../../page/input/answered-objects.js";

const answer = {
  mask: { mask: new Uint8Array(4), score: 1, box: { x1: 0, y1: 0, x2: 0, y2: 0 } },
  share: 0,
};

/** Objects that were clicked on, one after another. */
function clicked(count: number): AnsweredObjects {
  const objects = new AnsweredObjects();
  for (let x = 0; x < count; x += 1) {
    objects.choose(null);
    objects.click({ x, y: 0, label: 1 });
    objects.settle();
  }
  return objects;
}

function first(objects: AnsweredObjects) {
  const [object] = objects.all;
  if (!object) throw new Error("no object");
  return object;
}

test("an object keeps its name when it is clicked again, removed and restored", () => {
  const objects = clicked(1);
  objects.rename(first(objects), " cup ");
  objects.click({ x: 5, y: 0, label: 0 });
  objects.settle();
  expect(objects.nameOf(first(objects))).toBe("cup");
  objects.removeChosen();
  objects.settle();
  objects.undo();
  objects.settle();
  expect(objects.nameOf(first(objects))).toBe("cup");
});

test("the next object gets the name of the last one that was named", () => {
  const objects = clicked(2);
  objects.rename(first(objects), "cup");
  objects.choose(null);
  objects.click({ x: 9, y: 0, label: 1 });
  objects.settle();
  expect(objects.all.map((each) => objects.nameOf(each))).toEqual(["cup", "object", "cup"]);
});

test("an object whose name is cleared gets its first name again", () => {
  const objects = clicked(1);
  objects.rename(first(objects), "cup");
  objects.rename(first(objects), "");
  expect(objects.nameOf(first(objects))).toBe("object");
});

test("a click shows the previous mask until its result arrives; an outdated result is dropped", () => {
  const objects = clicked(1);
  const before = first(objects);
  objects.answer(before, answer);
  expect(objects.unanswered).toBeNull();
  objects.click({ x: 3, y: 0, label: 1 });
  expect(objects.unanswered).toBe(first(objects));
  expect(objects.answerOf(first(objects))?.mask).toBe(answer.mask);
  objects.answer(before, answer);
  expect(objects.unanswered).toBe(first(objects));
});

test("an object that reuses an undone object's number does not get its mask", () => {
  const objects = clicked(1);
  objects.answer(first(objects), answer);
  objects.undo();
  objects.settle();
  objects.click({ x: 7, y: 0, label: 1 });
  expect(objects.answerOf(first(objects))).toBeNull();
});
