import { expect, test } from "vitest";
import { contain, toPicture, toStage } from "../../page/drawing/fit.js";
import { formatDepth } from "../../page/util/depth-format.js";

test.each<["metres" | "relative", number, string]>([
  ["metres", 1.239, "1.24 m"],
  ["metres", 42.04, "42.0 m"],
  ["relative", 1234.56, "1235"],
  ["relative", Number.NaN, "–"],
])("in %s, %d is %s", (unit, value, want) => expect(formatDepth(unit, value)).toBe(want));

test.each([true, false])(
  "a position on the stage is mapped to the image, mirrored or not (%s)",
  (mirrored) => {
    const fit = contain({ width: 200, height: 100 }, { width: 300, height: 300 }, mirrored);
    const [left, top] = toStage(fit, 30, 70);
    const { x, y } = toPicture(fit, left, top);
    expect([x, y].map(Math.round)).toEqual([30, 70]);
  },
);
