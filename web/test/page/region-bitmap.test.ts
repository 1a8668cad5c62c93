import { expect, test } from "vitest";
import { RegionBitmap } from "../../page/drawing/region-bitmap.js";
import { cssColor, regionColors } from "../../page/drawing/region-colors.js";
import type { ImageSegmentationResult, Region } from "../../src/index.js";

const region = (classIndex: number): Region => ({
  classIndex,
  label: "",
  score: null,
  pixels: 1,
  share: 1,
  box: { x1: 0, y1: 0, x2: 1, y2: 1 },
});

function result(rows: string[]): ImageSegmentationResult {
  const map = Uint16Array.from(rows.join(""), Number);
  return {
    kind: "image-segmentation",
    width: rows[0]?.length ?? 0,
    height: rows.length,
    map,
  } as ImageSegmentationResult;
}

/** Returns the opacity of every pixel, row by row, in percent. */
async function opacities(bitmap: ImageBitmap | null): Promise<string[]> {
  if (bitmap === null) throw new Error("nothing was painted");
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  const { data } = context?.getImageData(0, 0, bitmap.width, bitmap.height) ?? { data: [] };
  const alpha = Array.from({ length: data.length / 4 }, (_, index) =>
    Math.round((data[index * 4 + 3] ?? 0) / 2.55),
  );
  return Array.from({ length: bitmap.height }, (_, row) =>
    alpha.slice(row * bitmap.width, (row + 1) * bitmap.width).join(" "),
  );
}

test("a class has a fixed colour, and regions of one class are distinguished", () => {
  const [cat, dog, other] = regionColors([region(0), region(1), region(0)]);
  expect(regionColors([region(1)])[0]).toEqual(dog);
  expect(new Set([cat, dog, other].map(String)).size).toBe(3);
  expect(cssColor([1, 20, 255])).toBe("rgb(1 20 255)");
});

test("classes that share a colour of the palette are distinguished", () => {
  const colors = regionColors(Array.from({ length: 40 }, (_, index) => region(index)));
  expect(new Set(colors.map(String)).size).toBe(40);
});

test("a region is half transparent, its edge nearly opaque; unassigned pixels are clear", async () => {
  const colors = regionColors([region(0), region(1)]);
  const rows = ["11112", "11112", "11100", "00000"];
  expect(await opacities(await new RegionBitmap().paint(result(rows), colors, null))).toEqual([
    "50 50 50 95 95",
    "50 50 50 95 95",
    "95 95 95 0 0",
    "0 0 0 0 0",
  ]);
});

test("if one region is highlighted, the others fade", async () => {
  const colors = regionColors([region(0), region(1)]);
  expect(await opacities(await new RegionBitmap().paint(result(["1122"]), colors, 2))).toEqual([
    "10 10 95 50",
  ]);
});

test("of two images only the last is painted", async () => {
  const picture = new RegionBitmap();
  const colors = regionColors([region(0)]);
  const large = result(Array.from({ length: 600 }, () => "1".repeat(600)));
  const first = picture.paint(large, colors, null);
  const second = picture.paint(result(["1"]), colors, null);
  expect(await first).toBeNull();
  expect(await second).not.toBeNull();
  const third = picture.paint(large, colors, null);
  picture.stop();
  expect(await third).toBeNull();
});
