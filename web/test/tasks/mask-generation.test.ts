import { describe, expect, test } from "vitest";
import type { MaskGenerationResult, RunOptions } from "../../src/index.js";
import type { Manifest, MaskGenerationTask, PointPromptInput } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { severalClicks } from "../../src/tasks/mask-generation/everything/grid.js";
import { options, type PointPrompt, promptOf } from "../../src/tasks/mask-generation/options.js";
import { promptFeeds, severalPromptFeeds } from "../../src/tasks/mask-generation/prompt.js";
import { takesPrompt } from "../../src/tasks/mask-generation/prompt-length.js";
import { task as module } from "../../src/tasks/mask-generation/task.js";
import { variants } from "../fixture/manifests.js";
import { casesOf } from "../support/conformance.js";

type Pair = [number, number];

interface Prompt {
  points?: Pair[];
  labels?: (0 | 1)[];
  box?: [number, number, number, number];
  mask?: number[][];
  multimask?: boolean;
}

interface MaskCase {
  task: MaskGenerationTask;
  letterbox: Geometry;
  prompt: Prompt;
  logits: number[][][];
  scores: number[];
  want: { masks: { rows: string[]; score: number; box: object }[]; best: number };
  tolerance: number;
}

interface PromptCase {
  task: MaskGenerationTask;
  inputs: PointPromptInput[];
  letterbox: Geometry;
  prompt: Prompt;
  want: Record<string, number[]> | { error: string };
  tolerance: number;
}

function optionsOf({ points, labels, box, mask, multimask }: Prompt): RunOptions {
  const corners = box && { x1: box[0], y1: box[1], x2: box[2], y2: box[3] };
  const logits = mask && {
    data: Float32Array.from(mask.flat()),
    rows: mask.length,
    columns: mask[0]?.length ?? 0,
  };
  const clicks = points?.map(([x, y]) => ({ x, y }));
  return { points: clicks, labels, box: corners, mask: logits, multimask };
}

function answer({ task, letterbox, prompt, logits, scores }: MaskCase): MaskGenerationResult {
  const base = variants([])["tensor.json"] as Manifest;
  const dims = [1, logits.length, logits[0]?.length ?? 0, logits[0]?.[0]?.length ?? 0];
  const outputs = [
    { name: task.masks, dtype: "float32" as const, shape: dims },
    { name: task.scores, dtype: "float32" as const, shape: dims.slice(0, 2) },
  ];
  const manifest = { ...base, task, inputs: [], outputs };
  const tensors = {
    [task.masks]: { type: "float32" as const, dims, data: Float32Array.from(logits.flat(2)) },
    [task.scores]: { type: "float32" as const, dims: dims.slice(0, 2), data: Float32Array.from(scores) },
  };
  const context = { prompt: promptOf(manifest, optionsOf(prompt)), geometry: letterbox };
  const source = new ImageData(letterbox.source.width, letterbox.source.height);
  return module.decode(manifest, tensors, letterbox, context, source) as MaskGenerationResult;
}

test.each(casesOf<MaskCase>("mask-generation"))("%s", (_, each) => {
  const { masks, best, logits } = answer(each);
  const { width } = each.letterbox.source;
  const got = masks.map(({ mask, box }) => {
    const rows = Array.from({ length: mask.length / width }, (_, y) =>
      mask.subarray(y * width, (y + 1) * width).join(""),
    );
    return { rows, box };
  });
  expect({ masks: got, best }).toEqual({
    masks: each.want.masks.map(({ rows, box }) => ({ rows, box })),
    best: each.want.best,
  });
  for (const [index, { score }] of each.want.masks.entries())
    expect(masks[index]?.score).toBeCloseTo(score, 5);
  expect([logits.rows, logits.columns]).toEqual([each.logits[0]?.length, each.logits[0]?.[0]?.length]);
});

test.each(casesOf<PromptCase>("point-prompts"))("%s", (_, each) => {
  const feed = () => promptFeeds(each, promptOf(each, optionsOf(each.prompt)), each.letterbox);
  if ("error" in each.want) {
    expect(feed).toThrow(each.want.error as string);
    return;
  }
  const got = feed();
  expect(Object.keys(got).sort()).toEqual(Object.keys(each.want).sort());
  for (const { name, dtype, shape } of each.inputs) {
    const want = (each.want as Record<string, number[]>)[name];
    if (want === undefined) continue;
    expect([got[name]?.type, got[name]?.dims]).toEqual([dtype, shape]);
    for (const [index, value] of want.entries())
      expect(Math.abs(Number(got[name]?.data[index]) - value), `${name} ${index}`).toBeLessThanOrEqual(
        each.tolerance,
      );
  }
});

const TASK: MaskGenerationTask = {
  kind: "mask-generation",
  masks: "masks",
  scores: "scores",
  single: 0,
  multi: [1, 2, 3],
  frame: [64, 64],
  coordinates: "pixels",
  box: "corners",
  paddingPoint: true,
  throughInput: true,
  threshold: 0,
};
const input = (role: PointPromptInput["role"], shape: number[]): PointPromptInput => ({
  kind: "point-prompt",
  name: role,
  dtype: "float32",
  shape,
  role,
});
const INPUTS = [
  input("points", [1, 2, 2]),
  input("labels", [1, 2]),
  input("mask", [1, 1, 4, 4]),
  input("has-mask", [1]),
];
const manifest = { task: TASK, inputs: INPUTS };
const click = { points: [{ x: 3, y: 4 }] };

describe("a prompt", () => {
  test.each<[string, unknown, string]>([
    ["without anything", {}, "the prompt is empty"],
    ["of no points", { points: [] }, "the prompt is empty"],
    ["of points that are none", { points: [[3, 4]] }, "points: number 0 has no finite x and y"],
    ["of NaN", { points: [{ x: Number.NaN, y: 1 }] }, "points: number 0 has no finite x and y"],
    ["of one point", { points: { x: 1, y: 2 } }, "points: wanted a list"],
    ["of other labels", { ...click, labels: [2] }, "a label is 2"],
    ["of more labels", { ...click, labels: [1, 0] }, "1 points have 2 labels"],
    ["of a word", { ...click, labels: "1" }, "labels: wanted a list"],
    ["of a flat box", { box: { x1: 3, y1: 3, x2: 3, y2: 9 } }, "has no area"],
    [
      "of two boxes",
      {
        box: [
          { x1: 1, y1: 1, x2: 3, y2: 9 },
          { x1: 1, y1: 1, x2: 3, y2: 9 },
        ],
      },
      "a list of 2; a prompt is for one object",
    ],
    ["of a box that is a list", { box: [1, 2, 3, 4] }, "has no area"],
    ["of pixels", { ...click, mask: new Uint8Array(16) }, "wanted 4 x 4"],
    [
      "of other logits",
      { ...click, mask: { data: new Float32Array(4), rows: 2, columns: 2 } },
      "a mask of 2 x 2, wanted 4 x 4",
    ],
  ])("%s is refused", (_, options, message) => {
    expect(() => promptOf(manifest, options as RunOptions)).toThrow(message);
    try {
      promptOf(manifest, options as RunOptions);
    } catch (error) {
      expect(error).toMatchObject({ code: "invalid-prompt", fix: expect.stringMatching(/give|leave|call/) });
    }
  });

  test("that the decoder does not support is refused", () => {
    const box = { x1: 1, y1: 1, x2: 2, y2: 2 };
    expect(() => promptOf({ ...manifest, task: { ...TASK, box: "none" } }, { box })).toThrow("takes no box");
    const bare = { ...manifest, inputs: INPUTS.slice(0, 1) };
    expect(() => promptOf(bare, { ...click, labels: [0] })).toThrow("takes no labels");
    const mask = { data: new Float32Array(16), rows: 4, columns: 4 };
    expect(() => promptOf(bare, { ...click, mask })).toThrow("takes no mask");
  });

  test("runs on the variant for its number of points", () => {
    const longer = [input("points", [1, 3, 2]), input("labels", [1, 3])];
    const base = variants([])["tensor.json"] as Manifest;
    const stages = [INPUTS, longer].map((inputs) => ({ ...base, task: TASK, inputs }));
    const choose = (given: RunOptions) => options.variant?.(stages, given);
    expect(choose(click)).toBe(0);
    expect(choose({ points: [...click.points, { x: 1, y: 1 }] })).toBe(1);
    expect(choose({ ...click, box: { x1: 0, y1: 0, x2: 5, y2: 5 } })).toBe(1);
    const many = Array.from({ length: 9 }, () => ({ x: 1, y: 1 }));
    expect(() => choose({ points: many })).toThrow(/has 10 points with .* the model takes 2 to 3/);
  });

  test("has a box and a point if every graph has an input for both", () => {
    const base = variants([])["tensor.json"] as Manifest;
    const inputs = [input("points", [1, 1, 1, 2]), input("labels", [1, 1, 1]), input("box", [1, 1, 4])];
    const task = { ...TASK, box: "input" as const, paddingPoint: false };
    const choose = (given: RunOptions) => options.variant?.([{ ...base, task, inputs }], given);
    const box = { x1: 0, y1: 0, x2: 5, y2: 5 };
    expect(choose({ ...click, box })).toBe(0);
    expect(() => choose({ box })).toThrow("the decoder takes a point with every box");
    expect(() => choose(click)).toThrow("the decoder takes a box with every prompt");
  });

  test("with a box alone uses a graph without points if there is one", () => {
    const base = variants([])["tensor.json"] as Manifest;
    const task = { ...TASK, box: "input" as const, paddingPoint: false };
    const [points, labels] = [input("points", [1, 1, 1, 2]), input("labels", [1, 1, 1])];
    const [one, none] = [[points, labels, input("box", [1, 1, 4])], [input("box", [1, 1, 4])]];
    const both = [one, none].map((inputs) => ({ ...base, task, inputs }));
    const choose = (given: RunOptions) => options.variant?.(both, given);
    const box = { x1: 0, y1: 0, x2: 5, y2: 5 };
    expect([choose({ ...click, box }), choose({ box })]).toEqual([0, 1]);
    expect(() => choose(click)).toThrow("the decoder takes a box with every prompt");
    const given = { task, inputs: [points, labels] };
    expect(takesPrompt(given, { points: click.points, box })).toBe(false);
  });

  test("fits the graph for its number of points", () => {
    const prompt = promptOf(manifest, click);
    expect(takesPrompt(manifest, prompt)).toBe(true);
    expect(takesPrompt(manifest, { points: [], box: { x1: 1, y1: 1, x2: 2, y2: 2 } })).toBe(true);
    const two: PointPrompt = { ...prompt, points: [...prompt.points, { x: 1, y: 1 }], labels: [1, 0] };
    expect(takesPrompt(manifest, two)).toBe(false);
    const boxed = { task: { ...TASK, box: "input" as const }, inputs: [...INPUTS, input("box", [1, 0, 4])] };
    expect(takesPrompt(boxed, prompt)).toBe(true);
    expect(takesPrompt(boxed, { ...prompt, box: { x1: 1, y1: 1, x2: 2, y2: 2 } })).toBe(false);
  });

  test("for one of several objects has its own row, in a graph that single prompts do not use", () => {
    const inputs = [
      input("points", [2, 2, 2]),
      input("labels", [2, 2]),
      input("mask", [2, 1, 4, 4]),
      input("has-mask", [2]),
    ];
    const given = { task: TASK, inputs };
    const [one, other] = [promptOf(manifest, click), promptOf(manifest, { points: [{ x: 8, y: 2 }] })];
    const geometry = { source: { width: 10, height: 10 }, left: 0, top: 0, width: 10, height: 10 };
    const feeds = severalPromptFeeds(given, [one, other], geometry);
    expect(Object.values(feeds).map(({ dims }) => dims)).toEqual(inputs.map(({ shape }) => shape));
    expect(Array.from(feeds.points?.data ?? [], Number)).toEqual([3, 4, 0, 0, 8, 2, 0, 0]);
    expect(Array.from(feeds.labels?.data ?? [], Number)).toEqual([1, -1, 1, -1]);
    expect(takesPrompt(given, one)).toBe(false);
    const several = [{ inputs: INPUTS }, given, { inputs: [input("points", [1, 4, 2, 2])] }];
    expect([15, 16, 31, 32].map((points) => severalClicks(several, points)?.size)).toEqual([
      undefined,
      2,
      2,
      4,
    ]);
  });
});
