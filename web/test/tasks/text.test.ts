import { expect, test } from "vitest";
import type { TensorData } from "../../src/api/types.js";
import type { CropInput, TextTask } from "../../src/manifest/manifest.js";
import type { SceneView } from "../../src/stages/scene-view.js";
import type { ManifestOf } from "../../src/tasks/task-module.js";
import { task as module } from "../../src/tasks/text/task.js";
import { CROP_INPUT } from "../support/crops.js";

const TASK: TextTask = {
  kind: "text",
  output: "y",
  characters: "\na\nb\n ",
  blank: 0,
  logits: false,
  decoding: "ctc",
};
const INPUT: CropInput = { ...CROP_INPUT, shape: [2, 3, 10, 40], aspect: "line", pad: 127.5 };
const MANIFEST = { task: TASK, inputs: [INPUT] } as unknown as ManifestOf<TextTask>;
const SIZE = { width: 100, height: 100 };

type Line = {
  box: [number, number, number, number];
  polygon?: [number, number][];
  classes?: { label: string; score: number; classIndex: number }[];
};

function scene(...lines: Line[]): SceneView {
  const detections = lines.map(({ box: [x1, y1, x2, y2], ...rest }) => ({
    box: { x1, y1, x2, y2 },
    score: 0.5,
    classIndex: 0,
    label: "text",
    ...rest,
  }));
  return {
    picture: new ImageData(SIZE.width, SIZE.height),
    geometry: { source: SIZE, left: 0, top: 0, ...SIZE },
    input: SIZE,
    results: new Map([["detector", { kind: "text-boxes", ...SIZE, detections }]]),
  };
}

/** Scores [2, 4, 4], 1 for one class in each column. */
function scores(...classes: number[]): { y: TensorData } {
  const data = new Float32Array(classes.length * 4);
  for (const [at, kind] of classes.entries()) data[at * 4 + kind] = 1;
  return { y: { type: "float32", dims: [2, 4, 4], data } };
}

const BOTH = [0, 1];

test("each line is read in its polygon, and lines without text are left out", () => {
  const polygon: [number, number][] = [
    [70, 30],
    [30, 30],
    [30, 10],
    [70, 10],
  ];
  const found = scene({ box: [30, 10, 70, 30], polygon }, { box: [0, 50, 40, 60] });
  const pieces = module.parts.decode(MANIFEST, scores(1, 3, 2, 0, 0, 0, 0, 0), found, BOTH, null);
  const { text, lines, width } = module.parts.join(MANIFEST, pieces, found, null);
  expect([text, width, lines.length]).toEqual(["a b", 100, 1]);
  const word = { score: 1, from: 0, to: 20 };
  expect(lines[0]).toEqual({
    text: "a b",
    score: 1,
    polygon,
    box: { x1: 30, y1: 10, x2: 70, y2: 30 },
    words: [
      { ...word, text: "a" },
      { ...word, text: "b", from: 40, to: 40 },
    ],
  });
});

test("lines are joined in the detector's order, and an upright box is its own polygon", () => {
  const found = scene({ box: [0, 0, 40, 10] }, { box: [0, 50, 40, 60] });
  const pieces = module.parts.decode(MANIFEST, scores(2, 0, 0, 0, 1, 1, 0, 1), found, BOTH, null);
  const { text, lines } = module.parts.join(MANIFEST, pieces, found, null);
  expect(text).toBe("b\naa");
  expect(lines[1]?.polygon).toEqual([
    [0, 50],
    [40, 50],
    [40, 60],
    [0, 60],
  ]);
});

test("a line's sides are along and across the text, swapped for a vertical line", () => {
  const lying = { box: [0, 0, 40, 10] } as const;
  const found = scene({ box: [...lying.box] }, { box: [0, 0, 10, 40] }, { box: [0, 0, 12, 10] });
  expect(module.parts.lines(MANIFEST, found, null)).toEqual([
    [40, 10],
    [40, 10],
    [12, 10],
  ]);
});

test("lines wider than the widest input give a warning", () => {
  const warnings = (...lines: Line[]) =>
    module.parts.warnings?.(MANIFEST, scene(...lines), [[80, 10]]).map(({ message }) => message);
  expect(warnings({ box: [0, 0, 80, 10] }, { box: [0, 0, 10, 80] })).toEqual([]);
  expect(warnings({ box: [0, 0, 40, 10] }, { box: [0, 0, 81, 10] })).toEqual([
    "1 of 2 lines are longer than 80 pixels of the model's input, and were squeezed",
  ]);
});

test("the fix is more widths if there are several, else a recognizer with a dynamic width", () => {
  const fixes = (...sizes: [number, number][]) =>
    module.parts.warnings?.(MANIFEST, scene({ box: [0, 0, 81, 10] }), sizes).map(({ fix }) => fix);
  const more = "pack the model for wider lines too: --widths 320,640,1280,2560";
  expect(fixes([40, 10], [80, 10])).toEqual([more]);
  expect(fixes([80, 10])).toEqual([
    `${more}; a reader of one width has to be exported with a free width first`,
  ]);
});

test("a too wide word is read in overlapping parts, and shrunk if it is less wide", () => {
  const input: CropInput = { ...INPUT, split: { above: 8, part: 6, overlap: 0.5 } };
  const manifest = { ...MANIFEST, inputs: [input] } as typeof MANIFEST;
  const words = scene({ box: [0, 0, 100, 10] }, { box: [0, 50, 80, 60] });
  const sides = module.parts.lines(manifest, words, null).map((each) => each?.map(Math.round));
  expect(sides.map(String)).toEqual(["60,10", "60,10", "60,10", "80,10"]);
  expect(module.parts.warnings?.(manifest, words, [[40, 10]])).toEqual([]);
  const first = module.parts.decode(manifest, scores(1, 2, 1, 2, 2, 1, 2, 1), words, [0, 1], null);
  const last = module.parts.decode(manifest, scores(0, 0, 0, 0, 0, 1, 0, 0), words, [2, 3], null);
  const { text, lines } = module.parts.join(manifest, [...first, ...last], words, null);
  expect(text).toBe("ababa\na");
  expect(lines[0]?.polygon).toEqual([
    [0, 0],
    [100, 0],
    [100, 10],
    [0, 10],
  ]);
  const ends = lines.map(({ words: [word] }) => [word?.from, word?.to].map((each) => Math.round(each ?? -1)));
  expect(ends.map(String)).toEqual(["0,90", "20,40"]);
});

test("a line classified as upside down is read from its other end", () => {
  const input: CropInput = { ...INPUT, halfTurn: { label: "180", score: 0.9 } };
  const manifest = { ...MANIFEST, inputs: [input] } as typeof MANIFEST;
  const line = (score: number): Line => ({
    box: [0, 0, 40, 10],
    classes: [{ label: "180", score, classIndex: 1 }],
  });
  const read = (score: number) => {
    const pieces = module.parts.decode(manifest, scores(1, 0, 0, 0), scene(line(score)), [0], null);
    return module.parts.join(manifest, pieces, scene(line(score)), null).lines[0];
  };
  expect(read(0.9)).not.toHaveProperty("turned");
  expect(read(0.9)?.polygon[0]).toEqual([0, 0]);
  expect(read(0.91)).toMatchObject({
    turned: true,
    polygon: [
      [40, 10],
      [0, 10],
      [0, 0],
      [40, 0],
    ],
    box: { x1: 0, y1: 0, x2: 40, y2: 10 },
  });
});

test("columns may come first if one crop runs at a time", () => {
  const found = scene({ box: [0, 0, 40, 10] });
  const one = { ...MANIFEST, inputs: [{ ...INPUT, shape: [1, 3, 10, 40] }] } as typeof MANIFEST;
  const { y } = scores(1, 0, 2, 2);
  const pieces = module.parts.decode(one, { y: { ...y, dims: [4, 1, 4] } as TensorData }, found, [0], null);
  expect(module.parts.join(one, pieces, found, null).text).toBe("ab");
});

test("an image without text has an empty result, and 1,001 lines give a warning", () => {
  expect(module.parts.lines(MANIFEST, scene(), null)).toEqual([]);
  expect(module.parts.join(MANIFEST, [], scene(), null)).toEqual({
    kind: "text",
    ...SIZE,
    text: "",
    lines: [],
  });
  const many = scene(...Array.from({ length: 1001 }, (): Line => ({ box: [0, 0, 40, 10] })));
  expect(module.parts.lines(MANIFEST, many, null)).toHaveLength(1000);
  expect(module.parts.warnings?.(MANIFEST, many, [[40, 10]]).map(({ code }) => code)).toEqual(["many-crops"]);
});
