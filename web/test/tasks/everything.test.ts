import { describe, expect, test } from "vitest";
import { runLengths } from "../../src/export/rle.js";
import { type EverythingResult, maskPixels, toCoco } from "../../src/index.js";
import type { Manifest, MaskGenerationTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import type { SceneView } from "../../src/stages/scene-view.js";
import { type EverythingFields, nothingFound } from "../../src/tasks/mask-generation/everything/parts.js";
import type { MaskRuns } from "../../src/tasks/mask-generation/everything/result.js";
import type { EverythingSettings } from "../../src/tasks/mask-generation/everything/settings.js";
import { boxOf, withoutSmallRegions } from "../../src/tasks/mask-generation/everything/small-regions.js";
import { task as module } from "../../src/tasks/mask-generation/task.js";
import { variants } from "../fixture/manifests.js";
import { casesOf } from "../support/conformance.js";

interface EverythingCase {
  task: MaskGenerationTask;
  letterbox: Geometry;
  settings: EverythingSettings;
  points: { logits: number[][][]; scores: number[] }[];
  want: {
    counts: number[];
    score: number;
    stability: number;
    box: { x1: number; y1: number; x2: number; y2: number };
    point: [number, number];
  }[];
  tolerance: number;
}

function found({ task, letterbox, settings, points }: EverythingCase, together = 1): EverythingFields {
  const base = variants([])["tensor.json"] as Manifest;
  const [first] = points;
  const dimsOf = (objects: number): number[] => [
    objects,
    first?.logits.length ?? 0,
    first?.logits[0]?.length ?? 0,
    first?.logits[0]?.[0]?.length ?? 0,
  ];
  const manifestOf = (objects: number) => {
    const outputs = [
      { name: task.masks, dtype: "float32" as const, shape: dimsOf(objects) },
      { name: task.scores, dtype: "float32" as const, shape: dimsOf(objects).slice(0, 2) },
    ];
    return { ...base, task, inputs: [], outputs };
  };
  const manifest = manifestOf(1);
  const { width, height } = letterbox.source;
  const scene: SceneView = {
    picture: new ImageData(width, height),
    geometry: letterbox,
    input: { width: 64, height: 64 },
    results: new Map(),
  };
  const context = module.context?.(manifest, { everything: settings }, null, scene);
  if (module.parts === undefined || context === undefined) throw new Error("no parts");
  expect(module.parts.lines(manifest, scene, context)).toEqual(points.map(() => null));
  const pieces: unknown[] = [];
  for (let begin = 0; begin < points.length; begin += together) {
    const batch = points.slice(begin, begin + together);
    const dims = dimsOf(batch.length);
    const logits = Float32Array.from(batch.flatMap((point) => point.logits.flat(2)));
    const scores = Float32Array.from(batch.flatMap((point) => point.scores));
    const tensors = {
      [task.masks]: { type: "float32" as const, dims, data: logits },
      [task.scores]: { type: "float32" as const, dims: dims.slice(0, 2), data: scores },
    };
    const range = batch.map((_, at) => begin + at);
    pieces.push(...module.parts.decode(manifestOf(batch.length), tensors, scene, range, context));
  }
  return module.parts.join(manifest, pieces, scene, context) as EverythingFields;
}

test.each(casesOf<EverythingCase>("everything"))("%s", (_, each) => {
  const { masks, width, height } = found(each);
  expect(found(each, 4)).toEqual({
    kind: "everything",
    width,
    height,
    masks,
    bestScore: found(each).bestScore,
  });
  expect({ width, height }).toEqual(each.letterbox.source);
  const got = masks.map(({ mask, box, point }) => ({
    counts: [...mask.counts],
    box,
    point: [point.x, point.y],
  }));
  expect(got).toEqual(
    each.want.map(({ counts, box, point }) => ({
      counts,
      box,
      point: point.map((value) => expect.closeTo(value, 6)),
    })),
  );
  for (const [index, { score, stability }] of each.want.entries()) {
    expect(Math.abs((masks[index]?.score ?? 0) - score)).toBeLessThanOrEqual(each.tolerance);
    expect(Math.abs((masks[index]?.stability ?? 0) - stability)).toBeLessThanOrEqual(each.tolerance);
  }
});

test("if no mask is good enough, the warning gives the best score", () => {
  const [, none] = casesOf<EverythingCase>("everything").find(([name]) => name.includes("none")) ?? [];
  if (none === undefined) throw new Error("no such case");
  const result = found(none);
  const best = Math.max(
    ...none.points.flatMap(({ scores }) => none.task.multi.map((kind) => scores[kind] ?? 0)),
  );
  expect(result.masks).toEqual([]);
  expect(result.bestScore).toBeCloseTo(best, 5);
  expect(nothingFound(result)).toMatchObject([
    { code: "no-masks", message: expect.stringContaining(best.toFixed(2)) },
  ]);
  expect(nothingFound({ ...result, masks: [{} as EverythingResult["masks"][number]] })).toEqual([]);
});

/** Converts a mask drawn in rows to run lengths, and back. */
function drawn(rows: readonly string[]): MaskRuns {
  const [width, height] = [rows[0]?.length ?? 0, rows.length];
  const counts = runLengths(width, height, (x, y) => rows[y]?.[x] === "#");
  return { width, height, counts: Uint32Array.from(counts) };
}

function rowsOf(mask: MaskRuns): string[] {
  const pixels = maskPixels(mask);
  return Array.from({ length: mask.height }, (_, y) =>
    Array.from(pixels.subarray(y * mask.width, (y + 1) * mask.width), (pixel) => (pixel ? "#" : ".")).join(
      "",
    ),
  );
}

describe("small regions", () => {
  test.each<[string, string[], number, string[]]>([
    ["a hole is filled", ["#####", "#.###", "#####", "....."], 2, ["#####", "#####", "#####", "....."]],
    ["an island is removed", ["#....", "...##", "...##"], 2, [".....", "...##", "...##"]],
    ["corners touch", ["#....", ".#...", "..###"], 4, ["#....", ".#...", "..###"]],
    ["of small islands alone, the largest stays", ["##...", "....#"], 4, ["##...", "....."]],
    ["what is large enough stays", ["##.##", "##.##"], 2, ["##.##", "##.##"]],
    [
      "an island that becomes connected when a hole is filled stays",
      ["###...", "#.#...", "###..."],
      9,
      ["###...", "###...", "###..."],
    ],
  ])("%s", (_, rows, least, want) => {
    expect(rowsOf(withoutSmallRegions(drawn(rows), least))).toEqual(want);
  });

  test("a mask without small regions is returned unchanged", () => {
    const mask = drawn(["##..", "##..", "...."]);
    expect(withoutSmallRegions(mask, 3)).toBe(mask);
    expect(boxOf(mask)).toEqual({ x1: 0, y1: 0, x2: 2, y2: 2 });
    expect(boxOf(drawn(["....", ".##."]))).toEqual({ x1: 1, y1: 1, x2: 3, y2: 2 });
    expect(boxOf(drawn(["..", ".."]))).toEqual({ x1: 0, y1: 0, x2: 0, y2: 0 });
  });
});

test("run lengths within a box equal those over the whole image", () => {
  const rows = ["......", ".###..", ".#.##.", "......"];
  const inside = (x: number, y: number): boolean => rows[y]?.[x] === "#";
  const whole = runLengths(6, 4, inside);
  expect(runLengths(6, 4, inside, { x1: 1, y1: 1, x2: 5, y2: 3 })).toEqual(whole);
  for (const part of [
    ["##", "##"],
    ["#.", "##"],
    ["..", "##"],
    [".#", ".#"],
  ]) {
    const [first = "", second = ""] = part;
    const test = (x: number, y: number): boolean => [first, second][y]?.[x] === "#";
    const columns = [0, 1].filter((x) => test(x, 0) || test(x, 1));
    const lines = [0, 1].filter((y) => test(0, y) || test(1, y));
    const box = {
      x1: Math.min(...columns),
      y1: Math.min(...lines),
      x2: Math.max(...columns) + 1,
      y2: Math.max(...lines) + 1,
    };
    expect(runLengths(2, 2, test, box)).toEqual(runLengths(2, 2, test));
  }
});

test("everything is exported as COCO without reading the pixels again", () => {
  const mask = drawn(["......", ".###..", ".#.##.", "......"]);
  const one = { mask, score: 0.9, stability: 1, box: boxOf(mask), point: { x: 2, y: 1 } };
  const result = {
    kind: "everything",
    width: 6,
    height: 4,
    masks: [one],
    bestScore: 0.9,
  } as EverythingResult;
  const pixels = { ...result, kind: "mask-generation", masks: [{ ...one, mask: maskPixels(mask) }] };
  expect(toCoco(result)).toEqual(toCoco(pixels as never));
  expect(toCoco(result, { masks: "polygons" })).toEqual(toCoco(pixels as never, { masks: "polygons" }));
});
