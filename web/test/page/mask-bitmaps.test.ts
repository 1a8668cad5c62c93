import { expect, test } from "vitest";
import { MaskBitmaps } from "../../page/drawing/mask-bitmaps.js";
import type { AnyDetection } from "../../page/results/detections.js";

const COLOR = "#f798a3";

function segment(cells: string[]): AnyDetection {
  const columns = cells[0]?.length ?? 0;
  const data = Uint8Array.from(cells.join(""), Number);
  const mask = { x: 0, y: 0, width: columns, height: cells.length, columns, rows: cells.length, data };
  return { box: { x1: 0, y1: 0, x2: 1, y2: 1 }, score: 1, classIndex: 0, label: "cup", mask };
}

/** Returns the opacity of every pixel, row by row, and the colour of the first pixel that is not clear. */
function seen(picture: ImageBitmap | null): { alpha: number[][]; color: number[] } {
  const { width = 0, height = 0 } = picture ?? {};
  const context = new OffscreenCanvas(width, height).getContext("2d");
  if (!picture || !context) throw new Error("no picture");
  context.drawImage(picture, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const at = (row: number, column: number): number => data[(row * width + column) * 4 + 3] ?? 0;
  const alpha = Array.from({ length: height }, (_, row) =>
    Array.from({ length: width }, (_, column) => at(row, column)),
  );
  const first = data.findIndex((value, index) => index % 4 === 3 && value > 0) - 3;
  return { alpha, color: [...data.slice(first, first + 3)] };
}

test("cells at the edge are nearly opaque, inner ones half transparent, others clear", async () => {
  const masks = new MaskBitmaps();
  expect(await masks.paint([segment(["00000", "01110", "01111", "01110"])], [COLOR])).toBe(true);
  const { alpha, color } = seen(masks.at(0));
  expect(alpha).toEqual([
    [0, 0, 0, 0, 0],
    [0, 242, 242, 242, 0],
    [0, 242, 107, 107, 242],
    [0, 242, 242, 242, 0],
  ]);
  for (const [index, channel] of [0xf7, 0x98, 0xa3].entries())
    expect(Math.abs((color[index] ?? 0) - channel)).toBeLessThanOrEqual(2);
});

test("a mask without cells has no image, and its neighbours have theirs", async () => {
  const masks = new MaskBitmaps();
  await masks.paint([segment([]), segment(["1"])], [COLOR, COLOR]);
  expect(masks.at(0)).toBeNull();
  expect(seen(masks.at(1)).alpha).toEqual([[242]]);
});

test("of two results painted at once the newer one is shown", async () => {
  const masks = new MaskBitmaps();
  const old = masks.paint([segment(["1"]), segment(["1"])], [COLOR, COLOR]);
  expect([await masks.paint([segment(["11"])], [COLOR]), await old]).toEqual([true, false]);
  expect(masks.at(0)?.width).toBe(2);
  masks.clear();
  expect(masks.at(0)).toBeNull();
});
