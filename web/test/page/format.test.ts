import { expect, test } from "vitest";
import { noun } from "../../page/util/format.js";

test.each([
  [["person"], "person", "people"],
  [["car"], "car", "cars"],
  [["key"], "key", "keys"],
  [["bus"], "bus", "detections"],
  [["box"], "box", "detections"],
  [["berry"], "berry", "detections"],
  [["猫"], "猫", "detections"],
  [["שלום"], "שלום", "detections"],
  [["line_2"], "line_2", "detections"],
  [["cat", "dog"], "detection", "detections"],
])("detections of %s are counted: one %s, two %s", (classes, one, two) => {
  expect([noun(classes, 1), noun(classes, 2)]).toEqual([one, two]);
});
