// The text at the pointer is not cut off at the edges of the stage.

import { beforeEach, expect, test } from "vitest";
import depth from "../../page/css/depth.css?inline";
import stage from "../../page/css/stage.css?inline";
import { HoverReadout } from "../../page/drawing/hover-readout.js";

const SIZE = { width: 400, height: 300 };
const TEXT = "a class with a long name 0.98 · 12.3 %";

beforeEach(() => {
  document.body.innerHTML = `<style>${depth}${stage}</style>
    <div class="stage" id="stage" style="width: ${SIZE.width}px; height: ${SIZE.height}px">
      <p class="reading" id="reading" style="margin: 0" hidden></p></div>`;
});

test.each([
  ["in the middle", 200, 150],
  ["at the left", 2, 150],
  ["at the right", 398, 150],
  ["at the top", 200, 3],
  ["in a corner", 399, 0],
])("%s", (_where, left, top) => {
  new HoverReadout().show({ x: 0, y: 0, left, top }, TEXT);
  const outer = document.getElementById("stage")?.getBoundingClientRect() ?? new DOMRect();
  const inner = document.getElementById("reading")?.getBoundingClientRect() ?? new DOMRect();
  expect(inner.width).toBeGreaterThan(150);
  expect(inner.left).toBeGreaterThanOrEqual(outer.left);
  expect(inner.right).toBeLessThanOrEqual(outer.right);
  expect(inner.top).toBeGreaterThanOrEqual(outer.top);
  expect(inner.bottom).toBeLessThanOrEqual(outer.bottom);
});
