import { expect, test } from "vitest";
import { type Planes, planesOf } from "../../page/outputs/axes.js";
import { rowBoxes } from "../../page/outputs/boxes.js";
import { classMap, classShares } from "../../page/outputs/class-map.js";
import { drawOutput, valueAt } from "../../page/outputs/drawing.js";
import { withJoined } from "../../page/outputs/joined.js";
import { largestRows } from "../../page/outputs/largest.js";
import { segments } from "../../page/outputs/lines.js";
import { onPicture, type Placement, placementOf } from "../../page/outputs/placement.js";
import { peakPoints, rowPoints } from "../../page/outputs/points.js";
import type { Reading } from "../../page/outputs/reading.js";
import { cosineSimilarity } from "../../page/outputs/similarity.js";
import { statistics } from "../../page/results/statistics.js";
import type { TensorData } from "../../src/index.js";
import type { ImageInput } from "../../src/manifest/manifest.js";

const letterbox = { mode: "letterbox", anchor: "center", pad: 114, interpolation: "bilinear" };
const input = { kind: "image", shape: [1, 3, 16, 16], layout: "nchw", color: "rgb", letterbox } as ImageInput;
/** An image of 32 x 16 is in rows 4 to 11 of the input. */
const wide = placementOf({ width: 32, height: 16 }, input);
/** One of 16 x 32 is in columns 4 to 11. */
const tall = placementOf({ width: 16, height: 32 }, input);
const going = () => false;

function mapsOf(dims: number[]): Planes {
  const planes = planesOf(dims, { width: 16, height: 16 });
  if (planes === null) throw new Error("no maps");
  return planes;
}

function floats(dims: number[], value: (index: number) => number): TensorData {
  const length = dims.reduce((product, size) => product * size, 1);
  return { type: "float32", dims, data: Float32Array.from({ length }, (_, index) => value(index)) };
}

/** Red, green, blue and alpha of a pixel. */
function pixel(bitmap: ImageBitmap, x: number, y: number): number[] {
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
  context?.drawImage(bitmap, 0, 0);
  return [...(context?.getImageData(x, y, 1, 1).data ?? [])];
}

async function bitmapOf(tensor: TensorData, reading: Reading, placement: Placement): Promise<ImageBitmap> {
  const drawing = await drawOutput(tensor, reading, placement, going);
  if (!drawing?.map) throw new Error("nothing was drawn");
  return drawing.map;
}

test("points of the input are mapped to the image, in any unit", () => {
  expect(onPicture(wide, { x: 8, y: 8 }, "pixels")).toEqual({ x: 16, y: 8 });
  expect(onPicture(wide, { x: 0.5, y: 0.25 }, "parts")).toEqual({ x: 16, y: 0 });
  expect(onPicture(tall, { x: 5, y: 8 }, "pixels")).toEqual({ x: 2, y: 16 });
});

test("cells of a map are mapped to the image", () => {
  expect(onPicture(wide, { x: 4, y: 4 }, { width: 8, height: 8 })).toEqual({ x: 16, y: 8 });
});

test("points with rows y, x are at their positions", () => {
  const at = (flipped: boolean) =>
    rowPoints(Float32Array.of(5, 8), { count: 1, columns: 2 }, "pixels", wide, flipped).map(({ x, y }) => [
      x,
      y,
    ]);
  expect([at(false), at(true)]).toEqual([[[10, 8]], [[16, 2]]]);
});

test("lines with their ends in a map are drawn, except those with low scores and short ones", async () => {
  // 8 x 8 cells of two input pixels each; every cell's line extends two cells to the left and right
  const field = floats([1, 8, 8, 4], (index) => [-2, 0, 2, 0][index % 4] ?? 0);
  for (let channel = 0; channel < 4; channel += 1) field.data[4 * (3 * 8 + 6) + channel] = 0.1;
  const sure = floats([1, 3], (index) => [0.9, 0.1, 0.9][index] ?? 0);
  const middles = floats([1, 3, 2], (index) => [4, 3, 2, 3, 6, 3][index] ?? 0);
  const lines = {
    rows: { count: 3, columns: 2 },
    unit: { width: 8, height: 8 },
    field: { name: "field", scores: "sure" },
    flipped: false,
  };
  expect(segments(middles.data, lines, { field, sure }, wide)).toEqual([
    [
      { x: 8, y: 4 },
      { x: 24, y: 4 },
    ],
  ]);
  const drawing = await drawOutput(middles, { form: "lines", ...lines }, wide, going, {
    outputs: { field, sure },
  });
  expect(drawing?.words).toBe("1 line");
  if (!drawing?.map) throw new Error("nothing was drawn");
  const { width, height } = drawing.map;
  expect(pixel(drawing.map, width / 2, height / 4)[3]).toBe(255);
  expect(pixel(drawing.map, width / 2, height / 2)[3]).toBe(0);
});

test("lines given by two ends are drawn there", () => {
  const lines = { rows: { count: 1, columns: 4 }, unit: "pixels", field: null, flipped: false } as const;
  expect(segments(Float32Array.of(12, 4, 4, 12), lines, {}, wide)).toEqual([
    [
      { x: 24, y: 0 },
      { x: 8, y: 16 },
    ],
  ]);
});

test.each([
  ["first", 1, [1, 5, 2, 2]],
  ["last", 3, [1, 2, 2, 5]],
] as const)(
  "the parts that an output is concatenated from are outputs too, channels %s",
  async (_, axis, dims) => {
    // the channel index times ten plus the position's index
    const raw = floats([...dims], (index) =>
      axis === 1 ? Math.floor(index / 4) * 10 + (index % 4) : (index % 5) * 10 + Math.floor(index / 5),
    );
    const joined = [
      { output: "raw", axis, first: 2, end: 4 },
      { output: "raw", axis, first: 4, end: 5 },
    ];
    const all = await withJoined({ raw, other: raw }, joined);
    expect(Object.keys(all)).toEqual(["raw", "channels 2 to 3 of raw", "channel 4 of raw", "other"]);
    const part = all["channels 2 to 3 of raw"];
    expect(part?.dims).toEqual([1, 2, 2, 2]);
    const first = [20, 21, 22, 23, 30, 31, 32, 33];
    const last = [20, 30, 21, 31, 22, 32, 23, 33];
    expect([...(part?.data ?? [])]).toEqual(axis === 1 ? first : last);
    expect(Object.keys(await withJoined({ raw }, joined, "channel 4 of raw"))).toEqual([
      "raw",
      "channel 4 of raw",
    ]);
  },
);

test("a map has the image's shape, without the padding", async () => {
  const planes = mapsOf([1, 1, 16, 16]);
  const padding = floats([1, 1, 16, 16], (index) => (index < 64 || index >= 192 ? 0 : 1));
  const bitmap = await bitmapOf(padding, { form: "map", planes }, wide);
  expect([bitmap.width, bitmap.height]).toEqual([16, 8]);
  for (const y of [0, 7]) expect(pixel(bitmap, 8, y)).toEqual([0xfd, 0xe7, 0x25, 255]);
});

test("a map shows the value at a position, and is clear where it is no number", async () => {
  const reading = { form: "map", planes: mapsOf([1, 1, 16, 16]) } as const;
  const tensor = floats([1, 1, 16, 16], (index) => (index === 4 * 16 ? Number.NaN : index));
  expect(pixel(await bitmapOf(tensor, reading, wide), 0, 0)[3]).toBe(0);
  expect(valueAt(tensor, reading, wide, { x: 31, y: 0 })).toBe(4 * 16 + 15);
  expect(valueAt(tensor, reading, wide, { x: 31, y: 16 })).toBeNull();
  expect(valueAt(tensor, reading, tall, { x: 15, y: 31 })).toBe(15 * 16 + 11);
});

test("a constant map is reported as such", async () => {
  const reading = { form: "map", planes: mapsOf([1, 1, 16, 16]) } as const;
  expect(
    (
      await drawOutput(
        floats([1, 1, 16, 16], () => 0.5),
        reading,
        wide,
        going,
      )
    )?.words,
  ).toBe("0.5 everywhere");
  expect(
    (
      await drawOutput(
        floats([1, 1, 16, 16], (index) => index),
        reading,
        wide,
        going,
      )
    )?.words,
  ).toBe("");
});

test.each([
  ["rgb", [255, 128, 0, 255]],
  ["bgr", [0, 128, 255, 255]],
] as const)("an image in %s has its colours, channels first or last", async (color, want) => {
  const channels = [1, 0, -3];
  for (const dims of [
    [1, 3, 16, 16],
    [1, 16, 16, 3],
  ]) {
    const tensor = floats(
      dims,
      (index) => channels[dims[1] === 3 ? Math.floor(index / 256) : index % 3] ?? 0,
    );
    const levels = { low: -1, high: 1 };
    const bitmap = await bitmapOf(tensor, { form: "picture", planes: mapsOf(dims), levels, color }, wide);
    expect(pixel(bitmap, 8, 4)).toEqual(want);
  }
});

test.each([
  ["first", [1, 3, 16, 16]],
  ["last", [1, 16, 16, 3]],
])("the class at a position is the largest map's, channels %s", async (_, dims) => {
  const best = (cell: number): number => (cell % 16 < 4 ? 2 : 0);
  const tensor = floats(dims, (index) => {
    const [channel, cell] =
      dims[1] === 3 ? [Math.floor(index / 256), index % 256] : [index % 3, Math.floor(index / 3)];
    return channel === best(cell) ? -1 : -2;
  });
  const map = await classMap(tensor.data, mapsOf(dims), wide, going);
  if (map === null) throw new Error("it was stopped");
  expect(classShares(map)).toEqual([
    { classIndex: 0, share: 0.75 },
    { classIndex: 2, share: 0.25 },
  ]);
  expect(map.map[0]).toBe(3);
});

test("a position where no independent mask reaches 0.5 has no class", async () => {
  const tensor = floats([1, 2, 16, 16], (index) => (index < 256 && index % 16 < 4 ? 0.9 : 0.3));
  const planes = mapsOf(tensor.dims);
  const map = await classMap(tensor.data, planes, wide, going, 0.5);
  expect(map && classShares(map)).toEqual([{ classIndex: 0, share: 1 }]);
  expect(map?.map.filter((found) => found > 0).length).toBe((map?.map.length ?? 0) / 4);
  const reading = { form: "classes", planes, least: 0.5 } as const;
  expect([0, 31].map((x) => valueAt(tensor, reading, wide, { x, y: 8 }))).toEqual([0, null]);
});

test("a few numbers are listed in their order, a single one too", async () => {
  const drawn = async (values: number[]) => {
    const tensor = floats([1, values.length], (index) => values[index] ?? 0);
    const reading = { form: "bars", length: values.length, scores: false } as const;
    const drawing = await drawOutput(tensor, reading, wide, going);
    return [drawing?.words, drawing?.rows.map(({ value, share }) => [Number(value), share])];
  };
  expect(await drawn([-20, 10, 5])).toEqual([
    "numbers",
    [
      [-20, 1],
      [10, 0.5],
      [5, 0.25],
    ],
  ]);
  expect(await drawn([37])).toEqual(["number", [[37, 1]]]);
});

test("a line is decoded without blanks and repeats", async () => {
  const best = [2, 0, 0, 2, 1, 1, 2, 1];
  const tensor = floats([8, 3], (index) => (best[Math.floor(index / 3)] === index % 3 ? 0.5 : 0));
  const steps = { count: 8, classes: 3, step: 3, stride: 1, blank: 2 };
  const drawing = await drawOutput(tensor, { form: "characters", steps }, wide, going);
  expect(drawing?.words).toBe("characters");
  expect(drawing?.rows.map(({ label }) => label)).toEqual(["character 0", "character 1", "character 1"]);
});

test("a map of integers has classes too", async () => {
  const data = BigInt64Array.from({ length: 256 }, (_, index) => BigInt(index % 16 < 8 ? 4 : -1));
  const map = await classMap(data, mapsOf([1, 16, 16]), wide, going);
  expect(map && classShares(map)).toEqual([{ classIndex: 4, share: 1 }]);
  const tensor: TensorData = { type: "int64", dims: [1, 16, 16], data };
  const at = (x: number) =>
    valueAt(tensor, { form: "classes", planes: mapsOf([1, 16, 16]) }, wide, { x, y: 8 });
  expect([at(0), at(31)]).toEqual([4, null]);
});

test.each([
  ["first", [1, 5, 16, 16]],
  ["last", [1, 16, 16, 5]],
])("the peak of each heat map is a point, channels %s", async (_, dims) => {
  const tensor = floats(dims, (index) => {
    const [channel, cell] =
      dims[1] === 5 ? [Math.floor(index / 256), index % 256] : [index % 5, Math.floor(index / 5)];
    return cell === 8 * 16 + channel ? 1 : 0;
  });
  const points = await peakPoints(tensor.data, mapsOf(dims), wide, going);
  expect(points?.map(({ x, y }) => [x, y])).toEqual([1, 3, 5, 7, 9].map((x) => [x, 9]));
});

test("a third number in 0..1 is a point's confidence", () => {
  const confidences = (values: number[]) =>
    rowPoints(Float32Array.from(values), { count: 2, columns: 3 }, "pixels", wide).map(
      ({ confidence }) => confidence,
    );
  expect(confidences([1, 5, 0.25, 2, 6, 1])).toEqual([0.25, 1]);
  expect(confidences([1, 5, -0.25, 2, 6, 1])).toEqual([1, 1]);
});

test("rows with a score are boxes, the best first, with their classes", () => {
  const rows = [
    [4, 6, 8, 10, 0.5, 1],
    [4, 6, 8, 10, 0.1, 1],
    [0, 4, 16, 12, 0.75, 3],
    [0, 0, 0, 0, 0, 0],
  ];
  const boxes = rowBoxes(Float32Array.from(rows.flat()), { count: 4, columns: 6 }, "pixels", wide);
  expect(boxes).toEqual([
    { box: { x1: 0, y1: 0, x2: 32, y2: 16 }, score: 0.75, classIndex: 3, label: "class 3" },
    { box: { x1: 8, y1: 4, x2: 16, y2: 12 }, score: 0.5, classIndex: 1, label: "class 1" },
  ]);
  const bare = rowBoxes(Float32Array.of(4, 6, 8, 10), { count: 1, columns: 4 }, "pixels", wide);
  expect(bare).toMatchObject([{ score: Number.NaN, label: "row 0" }]);
});

test("the ten largest numbers are listed", async () => {
  const values = Float32Array.from({ length: 40 }, (_, index) => (index * 7) % 40);
  const rows = await largestRows(values, going);
  expect(rows?.map(({ value }) => Number(value))).toEqual([39, 38, 37, 36, 35, 34, 33, 32, 31, 30]);
  expect(rows?.map(({ label }) => (Number(label.replace("number ", "")) * 7) % 40)).toEqual(
    rows?.map(({ value }) => Number(value)),
  );
  expect(rows?.[0]?.share).toBe(1);
});

test("an outdated drawing is cancelled", async () => {
  const tensor = floats([1, 4, 16, 16], () => 0);
  const planes = mapsOf([1, 4, 16, 16]);
  for (const reading of [
    { form: "map", planes },
    { form: "classes", planes },
    { form: "points", peaks: planes },
    { form: "bars", length: 4 },
  ] as const)
    expect(await drawOutput(tensor, reading, wide, () => true)).toBeNull();
});

test("a histogram counts every number once; there is none if one value is no number", async () => {
  const counted = await statistics(
    floats([64], (index) => index % 4),
    undefined,
  );
  expect(counted.histogram.filter((count) => count > 0)).toEqual([16, 16, 16, 16]);
  expect(
    (
      await statistics(
        floats([3], () => 7),
        undefined,
      )
    ).histogram[0],
  ).toBe(3);
  expect(
    (
      await statistics(
        floats([3], () => Number.NaN),
        undefined,
      )
    ).histogram,
  ).toEqual([]);
});

test("one channel is drawn in grey", async () => {
  const planes = mapsOf([1, 1, 16, 16]);
  const reading = { form: "picture", planes, levels: { low: 0, high: 1 }, color: "gray" } as const;
  const bitmap = await bitmapOf(
    floats([1, 1, 16, 16], () => 0.6),
    reading,
    wide,
  );
  expect(pixel(bitmap, 3, 3)).toEqual([153, 153, 153, 255]);
});

test("an embedding is compared with the previous image's", async () => {
  const reading = { form: "embedding", length: 2 } as const;
  const drawn = (before: number[] | null) =>
    drawOutput(
      floats([1, 2], (index) => [3, 4][index] ?? 0),
      reading,
      wide,
      going,
      { before: before && { title: "cat", data: Float32Array.from(before) } },
    );
  expect((await drawn(null))?.words).toMatch("choose a second picture");
  expect((await drawn([6, 8]))?.rows[0]).toMatchObject({ label: "like cat", value: "1.000", share: 1 });
  expect((await drawn([-4, 3]))?.rows[0]?.value).toMatch(/^-?0\.000$/);
  expect((await drawn([-3, -4]))?.rows[0]).toMatchObject({ value: "-1.000", share: 0 });
  expect((await drawn([1, 2, 3]))?.rows).toEqual([]);
  expect(cosineSimilarity(Float32Array.from([0, 0]), Float32Array.from([1, 2]))).toBe(0);
});
