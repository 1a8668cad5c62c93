import { expect, test } from "vitest";
import { describeReading } from "../../page/outputs/describe-reading.js";
import { type Form, readOutput } from "../../page/outputs/reading.js";
import type { TensorData } from "../../src/index.js";
import type { ImageInput } from "../../src/manifest/manifest.js";

/** 64 pixels wide, 48 high. */
const input = {
  kind: "image",
  shape: [1, 3, 48, 64],
  layout: "nchw",
  color: "rgb",
} as ImageInput;

type Value = (index: number) => number;

const waves: Value = (index) => Math.sin(index) * 5;

function tensor(dims: number[], value: Value = waves): TensorData {
  const length = dims.reduce((product, size) => product * size, 1);
  return { type: "float32", dims, data: Float32Array.from({ length }, (_, index) => value(index)) };
}

function formOf(dims: number[], value?: Value): Form {
  return readOutput(tensor(dims, value), input).guess.form;
}

/** Rows whose columns are functions of the row. */
function rows(...columns: Value[]): Value {
  return (index) => columns[index % columns.length]?.(Math.floor(index / columns.length)) ?? 0;
}

const share: Value = (index) => (index % 10) / 10;

test.each<[string, number[], Form]>([
  ["one map, channels first", [1, 1, 24, 32], "map"],
  ["one map of another ratio", [1, 1, 32, 32], "map"],
  ["one map, channels last", [1, 24, 32, 1], "map"],
  ["one map without channels", [1, 48, 64], "map"],
  ["one map without a batch", [48, 64], "map"],
  ["a table that is no map", [300, 85], "table"],
  ["maps too small", [1, 1, 7, 9], "table"],
  ["classes, channels first", [1, 21, 24, 32], "classes"],
  ["classes, channels last", [1, 24, 32, 21], "classes"],
  ["classes without a batch", [24, 32, 21], "classes"],
  ["a batch of two", [2, 21, 24, 32], "table"],
  ["scores", [1, 1000], "bars"],
  ["scores with axes of one", [1, 12, 1, 1], "bars"],
  ["one number", [1, 1], "bars"],
  ["a scalar", [], "bars"],
  ["no number", [0], "table"],
  ["the raw head of a detector", [1, 84, 8400], "table"],
])("%s", (_, dims, form) => {
  expect(formOf(dims)).toBe(form);
});

test("a smooth map is no list of boxes, even if its rows look like one", () => {
  const smooth: Value = (index) => (index % 64) / 64;
  for (const dims of [
    [1, 1, 48, 64],
    [1, 1, 64, 64],
    [1, 48, 64],
    [48, 64],
  ])
    expect(formOf(dims, smooth)).toBe("map");
});

test.each<[string, Value, string]>([
  ["0..1", share, "a picture of 0..1"],
  ["-1..1", (index) => share(index) * 2 - 1, "a picture of -1..1"],
  ["0..255", (index) => share(index) * 255, "a picture of 0..255"],
  ["overshooting 0..1 a little", (index) => share(index) * 1.1 - 0.04, "a picture of 0..1"],
])("an image of %s", (_, value, words) => {
  for (const dims of [
    [1, 3, 96, 128],
    [1, 96, 128, 3],
    [96, 128, 3],
  ]) {
    const { guess } = readOutput(tensor(dims, value), input);
    expect(describeReading(guess)[0]).toBe(words);
  }
});

test("three maps are classes if they are logits, probabilities, or of another aspect ratio", () => {
  expect(formOf([1, 3, 48, 64], (index) => Math.sin(index) * 40)).toBe("classes");
  expect(
    formOf(
      [1, 48, 64, 3],
      rows(
        (row) => share(row),
        (row) => 1 - share(row),
        () => 0,
      ),
    ),
  ).toBe("classes");
  expect(formOf([1, 3, 64, 16], share)).toBe("classes");
  expect(formOf([1, 3, 48, 64], (index) => (index % 20 < 1 ? 1 : index % 20 < 18 ? 0 : 0.5))).toBe("classes");
});

test("an image's channels have the input's order", () => {
  const { guess } = readOutput(tensor([1, 3, 48, 64], share), { ...input, color: "bgr" });
  expect(describeReading(guess)).toEqual(["a picture of 0..1, BGR as the input", "by its shape and range"]);
});

test("integers in a map are classes", () => {
  const data = Int32Array.from({ length: 48 * 64 }, (_, index) => index % 5);
  expect(readOutput({ type: "int32", dims: [1, 48, 64], data }, input).guess.form).toBe("classes");
  const depths = data.map((value) => value * 1000);
  expect(readOutput({ type: "int32", dims: [1, 48, 64], data: depths }, input).guess.form).toBe("map");
});

test("maps with small peaks are points", () => {
  const peak = (dims: number[], area: number): Value => {
    const first = dims[1] === 17;
    return (index) => {
      const cell = first ? index % area : Math.floor(index / 17);
      return Math.exp(-((cell - 300) ** 2) / 8);
    };
  };
  for (const dims of [
    [1, 17, 24, 32],
    [1, 24, 32, 17],
  ])
    expect(formOf(dims, peak(dims, 24 * 32))).toBe("points");
});

test.each<[string, number[], Value, Form]>([
  [
    "points in pixels",
    [1, 17, 2],
    rows(
      (row) => row * 3,
      (row) => 47 - row * 2,
    ),
    "points",
  ],
  [
    "points without a batch",
    [17, 2],
    rows(
      (row) => row * 3,
      (row) => row * 2,
    ),
    "points",
  ],
  [
    "points in parts of the input",
    [1, 17, 3],
    rows(
      share,
      (row) => share(row * 3),
      () => -4,
    ),
    "points",
  ],
  [
    "points outside of the input",
    [1, 17, 2],
    rows(
      (row) => row * 30,
      (row) => row * 30,
    ),
    "table",
  ],
  ["the same point again and again", [1, 17, 2], () => 0.5, "table"],
  ["shares of two classes", [1, 17, 2], rows(share, (row) => 1 - share(row)), "table"],
  [
    "a flat line of triples",
    [1, 63],
    rows(
      (row) => row * 3,
      (row) => 40 - row,
      (row) => -row,
    ),
    "points",
  ],
  [
    "a flat line of pairs",
    [1, 42],
    rows(
      (row) => row * 3,
      (row) => 40 - row,
    ),
    "points",
  ],
  ["a flat line of shares", [1, 42], share, "bars"],
  ["scores, the best first", [1, 42], (index) => Math.exp(-index / 20), "bars"],
  [
    "landmarks in parts, each near the next",
    [1, 136],
    rows(
      (row) => 0.5 + 0.3 * Math.cos(row / 9),
      (row) => 0.5 + 0.3 * Math.sin(row / 9),
    ),
    "points",
  ],
  [
    "landmarks in parts with a depth",
    [1, 63],
    rows(
      (row) => 0.2 + row / 40,
      (row) => 0.9 - row / 40,
      (row) => Math.sin(row * 9),
    ),
    "points",
  ],
  ["a thousand probabilities", [1, 1000], (index) => (index === 7 ? 0.9 : 0.0001), "bars"],
  ["logits of a thousand classes", [1, 1000], waves, "bars"],
  ["an embedding of a usual length", [1, 512], waves, "embedding"],
  ["an embedding of length 1", [1, 100, 1, 1], (index) => (index % 2 ? 0.1 : -0.1), "embedding"],
  ["numbers of one sign", [1, 512], share, "bars"],
])("%s", (_, dims, value, form) => {
  expect(formOf(dims, value)).toBe(form);
});

test.each<[string, Value[], Form]>([
  ["corners in pixels", [(row) => row, (row) => row, (row) => row + 9, (row) => row + 8, share], "boxes"],
  ["corners in parts", [() => 0.1, share, () => 0.6, (row) => share(row) + 0.1], "boxes"],
  ["centres and sizes", [(row) => 20 + row, (row) => 20 + row, () => 5, () => 6], "table"],
  ["corners far outside", [(row) => row, (row) => row, () => 900, () => 900], "table"],
  ["padding alone", [() => 0, () => 0, () => 0, () => 0], "table"],
  [
    "most rows padding",
    [
      (row) => (row < 3 ? 5 : 0),
      (row) => (row < 3 ? 5 : 0),
      (row) => (row < 3 ? 9 : 0),
      (row) => (row < 3 ? 9 : 0),
    ],
    "boxes",
  ],
])("rows of %s", (_, columns, form) => {
  expect(formOf([1, 20, columns.length], rows(...columns))).toBe(form);
});

/** Midpoints of lines as y, x, in cells of a map of 32 x 24 with half of each line to the left and above. */
const middles = tensor(
  [1, 20, 2],
  rows(
    (row) => 3 + row,
    (row) => 28 - row,
  ),
);
const field = (opposite: boolean) =>
  tensor([1, 24, 32, 4], (index) => {
    const x = Math.floor(index / 4) % 32;
    const half = x < 24 ? 3 : -3;
    return index % 4 < 2 ? -half : opposite ? half : half * 5;
  });
const sure = tensor([1, 20], (index) => 1 - index / 40);

test("integers in a map next to them are its cells, not pixels of the input", () => {
  expect(describeReading(readOutput(middles, input).guess)[0]).toBe("20 points in pixels of the input");
  const map = tensor([1, 1, 24, 32]);
  const withMap = readOutput(middles, input, { middles, map }).guess;
  expect(describeReading(withMap)[0]).toBe("20 points in cells of 32 × 24");
  const larger = tensor([1, 20, 2], (index) => index + 10);
  const outside = readOutput(larger, input, { larger, map }).guess;
  expect(describeReading(outside)[0]).toBe("20 points in pixels of the input");
  const broken = tensor([1, 20, 2], (index) => (index % 20) + 0.5);
  expect(readOutput(middles, input, { middles, map }).guess).toMatchObject({ flipped: true });
  const across = tensor([1, 20, 2], (index) => (index % 2 === 0 ? 31 : 23) - Math.floor(index / 2));
  expect(readOutput(across, input, { across, map }).guess).toMatchObject({ flipped: false });
  expect(describeReading(readOutput(broken, input, { broken, map }).guess)[0]).toBe(
    "20 points in pixels of the input",
  );
});

test("cells of a map with equal extents on both sides are midpoints of lines", () => {
  const { guess, possible } = readOutput(middles, input, { middles, field: field(true), sure });
  expect(guess).toMatchObject({ form: "lines", field: { name: "field", scores: "sure" }, flipped: true });
  expect(describeReading(guess)).toEqual(["line centres, with their ends in field", "by the values of both"]);
  expect(possible.map(({ form }) => form)).toEqual(["lines", "points", "table"]);
  expect(readOutput(middles, input, { middles, field: field(false), sure }).guess.form).toBe("points");
  expect(readOutput(middles, input, { middles, field: field(true) }).guess).toMatchObject({
    field: { scores: null },
  });
});

test("rows of two unordered ends are lines; rows of centres and sizes, or many rows, are not", () => {
  const across: Value = (row) => (row * 37) % 64;
  const along: Value = (row) => (row * 29) % 48;
  const shuffled = rows(
    across,
    along,
    (row) => across(row * 3 + 5),
    (row) => along(row * 5 + 7),
  );
  expect(formOf([1, 40, 4], shuffled)).toBe("lines");
  expect(formOf([1, 2000, 4], shuffled)).toBe("table");
  expect(
    formOf([1, 40, 4], (index) => shuffled(index) / 64),
    "parts may be anything",
  ).toBe("table");
  const sizes = rows(
    (row) => 20 + (row % 20),
    (row) => 15 + (row % 15),
    (row) => 5 + (row % 25),
    (row) => 5 + (row % 20),
  );
  expect(formOf([1, 40, 4], sizes)).toBe("table");
});

test("every drawing that a shape allows can be chosen, the table too", () => {
  const possible = (dims: number[]) => readOutput(tensor(dims), input).possible.map(({ form }) => form);
  expect(possible([1, 3, 48, 64])).toEqual(["picture", "classes", "table"]);
  expect(possible([1, 21, 48, 64])).toEqual(["points", "classes", "table"]);
  expect(possible([1, 48, 64, 1])).toEqual(["picture", "map", "table"]);
  expect(possible([1, 20, 6])).toEqual(["boxes", "table"]);
  expect(possible([1, 20, 4])).toEqual(["lines", "boxes", "table"]);
  expect(possible([1, 42])).toEqual(["points", "embedding", "bars", "table"]);
  expect(possible([1])).toEqual(["bars", "table"]);
});

test("for a grey input, a single map in the input's value range is a grey image", () => {
  const gray = { ...input, shape: [1, 1, 48, 64], color: "gray" } as ImageInput;
  const of = (value: Value) => readOutput(tensor([1, 1, 96, 128], value), gray).guess;
  expect(describeReading(of(share))[0]).toBe("a grey picture of 0..1");
  expect(of((index) => Math.sin(index) * 40).form).toBe("map");
});

/** Maps of 24 x 32, channels first: a value by channel, row and column. */
function maps(
  channels: number,
  value: (channel: number, y: number, x: number) => number,
  size: [number, number] = [24, 32],
): TensorData {
  const [height, width] = size;
  return tensor([1, channels, height, width], (index) => {
    const cell = index % (height * width);
    return value(Math.floor(index / (height * width)), Math.floor(cell / width), cell % width);
  });
}

/** As wide as a heat map of eyes: no small peak. */
const blob = (y: number, x: number): number => Math.exp(-((y - 4) ** 2 + (x - 5) ** 2) / 16);

test("heat maps with offsets along both axes are points, using the first third", () => {
  const offsets = (count: number, size: [number, number]) =>
    maps(
      3 * count,
      (channel, y, x) => (channel < count ? blob(y, x) : channel < 2 * count ? y / 30 : 1 - x / 40),
      size,
    );
  for (const [count, size] of [
    [1, [9, 12]],
    [5, [24, 32]],
  ] as [number, [number, number]][]) {
    const { guess } = readOutput(offsets(count, size), input);
    const points = count === 1 ? "1 point" : `${count} points`;
    expect(describeReading(guess)).toEqual([`heat maps of ${points}`, "by its shape and peaks"]);
  }
  const along = maps(3, (channel, y, x) => (channel === 0 ? blob(y, x) : y / 30));
  expect(readOutput(along, input).guess.form).not.toBe("points");
  const mixed = maps(3, (channel, y, x) =>
    channel === 0 ? blob(y, x) : channel === 1 ? y / 30 : (x * y) / 800,
  );
  expect(readOutput(mixed, input).guess.form).not.toBe("points");
});

test("class probabilities that add up to 1 are no heat maps, however small their peaks", () => {
  const small = (y: number, x: number) => (Math.hypot(y - 9, x - 9) < 2 ? 0.8 : 0.01);
  const shares = maps(4, (channel, y, x) => (channel === 0 ? 1 - 3 * small(y, x) * 0.3 : small(y, x) * 0.3));
  expect(readOutput(shares, input).guess.form).toBe("classes");
  const peaks = maps(4, (_, y, x) => small(y, x));
  expect(readOutput(peaks, input).guess.form).toBe("points");
});

test("masks that are independent of each other leave positions without a class", () => {
  const least = (value: (channel: number, y: number, x: number) => number) => {
    const { possible } = readOutput(maps(2, value), input);
    const classes = possible.find((reading) => reading.form === "classes");
    return classes?.form === "classes" ? classes.least : null;
  };
  const mask = (channel: number, _: number, x: number) => (x < 8 === (channel === 0) ? 0.9 : 0.02);
  expect(least((channel, y, x) => mask(channel, y, x) * 0.7)).toBe(0.5);
  expect(least((channel, _, x) => (channel === 0 ? x / 32 : 1 - x / 32))).toBeUndefined();
  expect(least((channel, y, x) => mask(channel, y, x) * 9 - 4)).toBeUndefined();
});

test("landmarks take precedence over a few other numbers", () => {
  const face: Value = (index) =>
    index >= 136 ? 400 : 0.5 + 0.3 * (index % 2 ? Math.sin : Math.cos)(Math.floor(index / 2) / 9);
  const guess = (length: number, value: Value) => readOutput(tensor([1, length], value), input).guess;
  expect(describeReading(guess(143, face))[0]).toBe("68 points in fractions of the input, 0..1");
  expect(guess(170, face).form).toBe("bars");
  expect(guess(143, (index) => (index * 7919) % 143).form).toBe("bars");
});

test("a few numbers outside 0..1 are called numbers, others scores", () => {
  const words = (length: number, value: Value) =>
    describeReading(readOutput(tensor([1, length], value), input).guess)[0];
  expect(words(1, () => 37)).toBe("a number");
  expect(words(3, (index) => index * 9 - 12)).toBe("3 numbers");
  expect(words(3, share)).toBe("3 scores");
  expect(words(40, waves)).toBe("40 scores");
});

/** Logits of 20 characters and a blank at 12 steps, some of which are blank. */
const text = [20, 3, 3, 20, 20, 7, 20, 7, 20, 20, 11, 20];
const spoken = (step: number, character: number): number =>
  text[step] === character ? 8 : -3 - (character % 4);

test.each<[string, number[], Value]>([
  ["steps first", [1, 12, 21], (index) => spoken(Math.floor(index / 21), index % 21)],
  ["classes first", [21, 12], (index) => spoken(index % 12, Math.floor(index / 12))],
  ["with a batch between", [12, 1, 21], (index) => spoken(Math.floor(index / 21), index % 21)],
])("text lines are decoded if the input is a line, %s", (_, dims, value) => {
  const line = { ...input, shape: [1, 3, 24, 94] } as ImageInput;
  const { guess } = readOutput(tensor(dims, value), line);
  expect(describeReading(guess)[0]).toBe("21 characters at 12 steps, 20 the blank");
  expect(readOutput(tensor(dims, value), input).guess.form).not.toBe("characters");
  expect(readOutput(tensor(dims, waves), line).guess.form).not.toBe("characters");
});
