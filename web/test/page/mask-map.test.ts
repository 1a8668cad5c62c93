import { expect, test } from "vitest";
import { maskMap, type PlacedMask } from "../../page/drawing/mask-map.js";
import { maskShare } from "../../page/results/mask-share.js";
import { runLengths } from "../../src/export/rle.js";

const width = 8;
const height = 4;

/** A rectangle of ones. */
function rectangle(x1: number, y1: number, x2: number, y2: number) {
  const mask = new Uint8Array(width * height);
  for (let y = y1; y < y2; y += 1) mask.fill(1, y * width + x1, y * width + x2);
  return { mask, box: { x1, y1, x2, y2 } };
}

async function rows(masks: (PlacedMask | null)[], painted: { width: number; height: number }) {
  const map = (await maskMap(masks, { width, height }, painted)) ?? new Uint16Array();
  return Array.from({ length: painted.height }, (_, y) =>
    map.slice(y * painted.width, (y + 1) * painted.width).join(""),
  );
}

test("the last mask is on top, and a missing mask keeps its index", async () => {
  const masks = [rectangle(0, 0, 4, 2), null, rectangle(2, 1, 8, 4)];
  expect(await rows(masks, { width, height })).toEqual(["11110000", "11333333", "00333333", "00333333"]);
});

test("a smaller map takes the pixels at its cells' centres", async () => {
  expect(await rows([rectangle(1, 1, 6, 4)], { width: 4, height: 2 })).toEqual(["1110", "1110"]);
  expect(await rows([rectangle(0, 0, 1, 1)], { width: 4, height: 2 })).toEqual(["0000", "0000"]);
});

test("an empty mask paints nothing", async () => {
  const none = { mask: new Uint8Array(width * height), box: { x1: 0, y1: 0, x2: 0, y2: 0 } };
  expect(await rows([none], { width, height })).toEqual(["00000000", "00000000", "00000000", "00000000"]);
});

test("the share of a mask counts its pixels, not its box's", async () => {
  const { mask } = rectangle(0, 0, 4, 2);
  mask[1] = 0;
  expect(await maskShare({ mask, box: { x1: 0, y1: 0, x2: 4, y2: 2 } }, width, height)).toBe(7 / 32);
});

/** The same mask as run lengths. */
function runs({ mask, box }: ReturnType<typeof rectangle>): PlacedMask {
  const counts = runLengths(width, height, (x, y) => mask[y * width + x] === 1, box);
  return { mask: { width, height, counts: Uint32Array.from(counts) }, box };
}

test.each([
  [1, 1],
  [4, 2],
  [3, 3],
  [width, height],
])("run lengths are painted like pixels, as %d x %d", async (across, down) => {
  const ring = rectangle(1, 0, 7, 4);
  ring.mask[1 * width + 3] = 0;
  ring.mask[2 * width + 6] = 0;
  const masks = [ring, rectangle(0, 0, width, height), rectangle(2, 3, 3, 4), rectangle(5, 0, 6, 4)];
  for (const each of masks) {
    const size = { width: across, height: down };
    expect(await rows([null, runs(each)], size)).toEqual(await rows([null, each], size));
    expect(await maskShare(runs(each), width, height)).toBe(await maskShare(each, width, height));
  }
});
