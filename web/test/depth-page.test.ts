import { describe, expect, test } from "vitest";
import { DepthPicture } from "../page/depth-picture.js";
import { inWords, scaleOf, shareOf } from "../page/depth-scale.js";
import { contain, offStage, onStage } from "../page/fit.js";
import { shade, viridis } from "../page/viridis.js";
import type { DepthResult } from "../src/index.js";
import type { DepthTask } from "../src/manifest.js";
import { extent } from "../src/tasks/depth.js";

const task = { kind: "depth", near: null, far: null } as unknown as DepthTask;

function result(width: number, values: number[], sure: number[] | null = null): DepthResult {
  const depth = Float32Array.from(values);
  return {
    kind: "depth",
    width,
    height: values.length / width,
    depth,
    confidence: sure && Float32Array.from(sure),
    ...extent(depth),
    quantity: "depth",
    unit: "metres",
  } as DepthResult;
}

async function pixels(bitmap: ImageBitmap | null): Promise<number[][]> {
  if (bitmap === null) throw new Error("nothing was painted");
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  const { data } = context?.getImageData(0, 0, bitmap.width, bitmap.height) ?? { data: [] };
  return Array.from({ length: data.length / 4 }, (_, index) => [...data.slice(index * 4, index * 4 + 4)]);
}

const color = (share: number): number[] => [...viridis.slice(shade(share), shade(share) + 3)];

describe("colours", () => {
  test("go from dark to bright without a step back", () => {
    const lightness = Array.from({ length: 256 }, (_, index) => {
      const [red = 0, green = 0, blue = 0] = viridis.slice(index * 3, index * 3 + 3);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    });
    expect(lightness.every((value, index) => index === 0 || value >= (lightness[index - 1] ?? 0) - 0.5)).toBe(
      true,
    );
    expect([color(0), color(1)]).toEqual([
      [0x44, 0x01, 0x54],
      [0xfd, 0xe7, 0x25],
    ]);
    expect([shade(-1), shade(2)]).toEqual([shade(0), shade(1)]);
  });

  test("what is near is bright, whatever the map holds", () => {
    const map = result(2, [0.5, 3]);
    expect(shareOf(scaleOf(map, task), 0.5)).toBe(1);
    expect(shareOf(scaleOf({ ...map, quantity: "inverse-depth" }, task), 0.5)).toBe(0);
  });

  test("the model's own range holds where it tells one", () => {
    expect(scaleOf(result(2, [1, 2]), { ...task, near: 0.5, far: 3 })).toMatchObject({
      dark: 3,
      bright: 0.5,
    });
    expect(shareOf({ dark: 2, bright: 2, unit: "metres" }, 2)).toBe(0.5);
  });
});

test.each([
  [{ unit: "metres" } as const, 1.239, "1.24 m"],
  [{ unit: "metres" } as const, 42.04, "42.0 m"],
  [{ unit: "relative" } as const, 1234.56, "1235"],
  [{ unit: "relative" } as const, Number.NaN, "–"],
])("in %j, %d is %s", (scale, value, want) => expect(inWords(scale, value)).toBe(want));

describe("the picture of a map", () => {
  test("has its colours, and nothing where there is no depth", async () => {
    const map = result(3, [0.5, 3, Number.NaN]);
    const got = await pixels(await new DepthPicture().paint(map, scaleOf(map, task), false));
    expect(got).toEqual([
      [...color(1), 255],
      [...color(0), 255],
      [0, 0, 0, 0],
    ]);
  });

  test("fades where the model is unsure, if that is wished", async () => {
    const map = result(2, [0.5, 3], [1, 0]);
    const scale = scaleOf(map, task);
    const alpha = async (fading: boolean) =>
      (await pixels(await new DepthPicture().paint(map, scale, fading))).map((each) => each[3]);
    expect(await alpha(true)).toEqual([255, 0]);
    expect(await alpha(false)).toEqual([255, 255]);
    const large = await new DepthPicture().paint(result(2, [0.5, 3], [4, 2]), scale, true);
    expect((await pixels(large)).map((each) => each[3])).toEqual([255, 128]);
  });

  test("of a large map is no larger than a stage", async () => {
    const map = result(
      2600,
      Array.from({ length: 2600 * 4 }, (_, index) => index),
    );
    const bitmap = await new DepthPicture().paint(map, scaleOf(map, task), false);
    expect([bitmap?.width, bitmap?.height]).toEqual([1280, 2]);
  });

  test("is given up when another comes meanwhile", async () => {
    const large = result(
      1000,
      Array.from({ length: 1_000_000 }, (_, index) => index),
    );
    const picture = new DepthPicture();
    const first = picture.paint(large, scaleOf(large, task), false);
    const second = picture.paint(large, scaleOf(large, task), false);
    expect(await first).toBeNull();
    expect(await second).not.toBeNull();
  });
});

test.each([true, false])("a place on the stage is found in the picture, mirrored or not (%s)", (mirrored) => {
  const fit = contain({ width: 200, height: 100 }, { width: 300, height: 300 }, mirrored);
  const [left, top] = onStage(fit, 30, 70);
  const { x, y } = offStage(fit, left, top);
  expect([x, y].map(Math.round)).toEqual([30, 70]);
});
