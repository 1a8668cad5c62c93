import { expect, test } from "vitest";
import { PartialPicture } from "../../page/drawing/partial-picture.js";
import type { TileResult } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";

async function tile(index: number, x: number, size: number, gray: number): Promise<TileResult> {
  const picture = await createImageBitmap(
    new ImageData(
      new Uint8ClampedArray(size * size * 4).fill(255).map((_, at) => (at % 4 < 3 ? gray : 255)),
      size,
    ),
  );
  return { index, count: 2, x, y: 0, width: size, height: size, picture };
}

async function pixelsOf(canvas: OffscreenCanvas): ReturnType<typeof readPixels> {
  return readPixels(await createImageBitmap(canvas));
}

test("tiles appear one after another, and are closed", async () => {
  const partial = new PartialPicture({ width: 8, height: 4 });
  const [left, right] = [await tile(0, 0, 4, 40), await tile(1, 4, 4, 90)];
  const half = await pixelsOf(partial.add(left));
  expect([half.width, half.height]).toEqual([8, 4]);
  expect([half.data[0], half.data[3], half.data[4 * 4 + 3]]).toEqual([40, 255, 0]);
  const { data } = await pixelsOf(partial.add(right));
  expect([data[0], data[4 * 4]]).toEqual([40, 90]);
  expect(left.picture.width).toBe(0);
});

test("an image larger than any stage is shown smaller", async () => {
  const partial = new PartialPicture({ width: 8192, height: 4096 });
  const map = partial.add(await tile(0, 4096, 4096, 40));
  expect([map.width, map.height]).toEqual([2048, 1024]);
  const { data } = await pixelsOf(map);
  expect([data[(512 * 2048 + 1000) * 4 + 3], data[(512 * 2048 + 1500) * 4]]).toEqual([0, 40]);
});
