import { describe, expect, test } from "vitest";
import { toPng } from "../../src/export/cutout.js";
import type { MatteResult } from "../../src/index.js";
import type { ImageInput, Manifest, MatteTask } from "../../src/manifest/manifest.js";
import { decode } from "../../src/postprocess/decode.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { alphaCells, alphaLayout, alphaLevels } from "../../src/tasks/matte/alpha.js";
import { blurBehind, shrunk } from "../../src/tasks/matte/blur.js";
import { onBackground } from "../../src/tasks/matte/on-background.js";
import { backgroundOf } from "../../src/tasks/matte/options.js";
import { variants } from "../fixture/manifests.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: MatteTask;
  letterbox: Geometry;
  input: { width: number; height: number };
  dims: number[];
  values: (number | "NaN")[];
  want: { alpha: number[][] };
  tolerance: number;
}

test.each(casesOf<Case>("matte"))("%s", (_, { task, letterbox, input, dims, values, want, tolerance }) => {
  const layout = alphaLayout(task, dims);
  const cells = alphaCells(task, Float32Array.from(values.map(Number)), layout);
  const got = alphaLevels(letterbox, { values: cells, grid: layout.grid, input });
  const wanted = want.alpha.flat();
  expect(got.length).toBe(wanted.length);
  for (const [index, level] of wanted.entries())
    expect(Math.abs((got[index] ?? Number.NaN) - level), `pixel ${index}`).toBeLessThanOrEqual(tolerance);
});

const TASK: MatteTask = {
  kind: "matte",
  output: "alpha",
  layout: "nchw",
  channel: 0,
  activation: "none",
  low: 0,
  high: 1,
  minMax: false,
  foreground: null,
  tiles: null,
};
const SIZE = { width: 2, height: 1 };
const GEOMETRY = { source: SIZE, left: 0, top: 0, ...SIZE };
const PICTURE = new ImageData(Uint8ClampedArray.of(200, 100, 0, 255, 40, 80, 120, 255), 2, 1);

function manifestOf(task: MatteTask): Manifest {
  const base = variants([])["tensor.json"] as Manifest;
  const outputs = [
    { name: "alpha", dtype: "float32" as const, shape: [1, 1, 1, 2] },
    { name: "fgr", dtype: "float32" as const, shape: [1, 3, 1, 2] },
  ];
  return { ...base, task, inputs: [{ ...(base.inputs[0] as ImageInput), shape: [1, 3, 1, 2] }], outputs };
}

const floats = (dims: number[], ...data: number[]) => ({
  type: "float32" as const,
  dims,
  data: Float32Array.from(data),
});

/** Returns what a bitmap shows on a canvas: with premultiplied alpha other differences are invisible. */
function shown(bitmap: ImageBitmap, background = "#000000"): number[][] {
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.fillStyle = background;
  context.fillRect(0, 0, bitmap.width, bitmap.height);
  context.drawImage(bitmap, 0, 0);
  const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
  return Array.from({ length: data.length / 4 }, (_, at) => [...data.slice(at * 4, at * 4 + 3)]);
}

function expectClose(got: number[][], want: number[][], levels = 1): void {
  expect(got.length).toBe(want.length);
  for (const [at, pixel] of want.entries())
    for (const [channel, level] of pixel.entries())
      expect(Math.abs((got[at]?.[channel] ?? Number.NaN) - level), `pixel ${at}`).toBeLessThanOrEqual(levels);
}

async function run(
  outputs: Parameters<typeof decode>[1],
  options: object = {},
  task = TASK,
  picture = PICTURE,
): Promise<MatteResult> {
  const found = decode(manifestOf(task), outputs, GEOMETRY, backgroundOf(options), picture);
  return (await found) as MatteResult;
}

describe("a cutout", () => {
  const half = { alpha: floats([1, 1, 1, 2], 0.5, 1) };

  test("shows the image's foreground", async () => {
    const { alpha, cutout, width, height } = await run(half);
    expect([width, height, cutout.width, cutout.height]).toEqual([2, 1, 2, 1]);
    expect(alpha).toEqual(Uint8Array.of(128, 255));
    expectClose(shown(cutout), [
      [100, 50, 0],
      [40, 80, 120],
    ]);
    expectClose(shown(cutout, "#ffffff"), [
      [227, 177, 127],
      [40, 80, 120],
    ]);
  });

  test("is no more opaque than the image", async () => {
    const faint = new ImageData(Uint8ClampedArray.of(200, 100, 0, 128, 40, 80, 120, 0), 2, 1);
    const { cutout } = await run({ alpha: floats([1, 1, 1, 2], 1, 1) }, {}, TASK, faint);
    expectClose(shown(cutout), [
      [100, 50, 0],
      [0, 0, 0],
    ]);
  });

  test("has the model's colours at its edges, and the image's elsewhere", async () => {
    const fgr = floats([1, 3, 1, 2], 1, 1, 0, 0, 0, 0);
    const { cutout } = await run({ ...half, fgr }, {}, { ...TASK, foreground: "fgr" });
    expectClose(shown(cutout), [
      [128, 0, 0],
      [40, 80, 120],
    ]);
  });

  test("becomes a PNG with its alpha", async () => {
    const blob = await toPng(await run(half));
    expect(blob.type).toBe("image/png");
    const read = await createImageBitmap(blob, { premultiplyAlpha: "none" });
    expectClose(shown(read), [
      [100, 50, 0],
      [40, 80, 120],
    ]);
  });

  test("is placed on a colour", async () => {
    const { alpha, cutout } = await run(half, { background: "#0000ff" });
    expect(alpha[0]).toBe(128);
    expectClose(shown(cutout, "#00ff00"), [
      [100, 50, 127],
      [40, 80, 120],
    ]);
  });

  test("is placed on an image of another size, which covers it", async () => {
    const tall = new ImageData(
      Uint8ClampedArray.from([255, 0, 0].flatMap((red) => [red, 0, 255 - red, 255])),
      1,
      3,
    );
    const { cutout } = await run({ alpha: floats([1, 1, 1, 2], 0, 0) }, { background: tall });
    expect(cutout.width).toBe(2);
    const [first] = shown(cutout, "#00ff00");
    expect(first?.[1]).toBe(0);
    expect((first?.[2] ?? 0) - (first?.[0] ?? 0)).toBeGreaterThan(100);
  });
});

test("with a blurred background, the blur excludes the foreground", () => {
  const picture = new ImageData(40, 20);
  const alpha = new Uint8Array(40 * 20);
  for (let at = 0; at < alpha.length; at++) {
    const inFront = at % 40 >= 20;
    alpha[at] = inFront ? 255 : 0;
    picture.data.set(inFront ? [255, 0, 0, 255] : [0, 0, 255, 255], at * 4);
  }
  const { data } = blurBehind(picture, alpha, picture);
  const pixel = (x: number) => [...data.slice((10 * 40 + x) * 4, (10 * 40 + x) * 4 + 4)];
  for (const x of [0, 19]) expectClose([pixel(x)], [[0, 0, 255, 255]], 2);
  expect(pixel(39)[3]).toBe(255);
  const open = blurBehind(picture, new Uint8Array(alpha.length), picture).data;
  expect(open[(10 * 40 + 19) * 4]).toBeGreaterThan(80);
  expect(shrunk({ width: 4000, height: 1000 })).toEqual({ width: 192, height: 48 });
});

test("a blurred background is as large as the image", async () => {
  const image = await createImageBitmap(PICTURE);
  const cutout = await createImageBitmap(new ImageData(2, 1));
  const picture = { image, size: SIZE };
  const behind = onBackground({ kind: "blur", picture }, cutout, new Uint8Array(2));
  expect([behind.width, behind.height]).toEqual([2, 1]);
  expectClose(
    shown(behind, "#00ff00"),
    [
      [120, 90, 60],
      [120, 90, 60],
    ],
    30,
  );
});

test.each([5, null, "red", "#12", "#12345g", "blurred", {}, []])("%j is no background", (background) => {
  expect(() => backgroundOf({ background } as object)).toThrow("background: wanted a color");
});

test("a background is a colour, an image or a blur", () => {
  expect(backgroundOf({})).toBeNull();
  expect(backgroundOf({ background: "blur" })).toEqual({ kind: "blur" });
  expect(backgroundOf({ background: "#00FF7f" })).toEqual({ kind: "color", color: "#00FF7f" });
  expect(backgroundOf({ background: PICTURE })).toEqual({ kind: "picture", picture: PICTURE });
});
