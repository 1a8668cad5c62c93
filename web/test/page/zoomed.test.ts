import { expect, test } from "vitest";
import { contain, toPicture, toStage, zoomFit } from "../../page/drawing/fit.js";

const stage = { width: 600, height: 400 };

test.each([false, true])("an image point stays under the pointer, mirrored %s", (mirrored) => {
  const fit = zoomFit(
    contain({ width: 300, height: 100 }, stage, mirrored),
    { factor: 4, center: { x: 80, y: 40 } },
    stage,
  );
  expect(fit.scale).toBe(8);
  const [x, y] = toStage(fit, 80, 40);
  expect([x, y]).toEqual([300, 200]);
  expect(toPicture(fit, x, y)).toEqual({ x: 80, y: 40 });
});

test("the image fills the stage as far as it can", () => {
  const fit = zoomFit(
    contain({ width: 300, height: 100 }, stage, false),
    { factor: 2, center: { x: 0, y: 100 } },
    stage,
  );
  expect([fit.left, fit.top, fit.width, fit.height]).toEqual([0, 0, 1200, 400]);
});
