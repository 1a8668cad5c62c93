import { beforeAll, describe, expect, test } from "vitest";
import { GpuSuppressor } from "../../src/suppression/gpu-suppressor.js";
import { distanceAt, distanceOf, gaussianOf } from "../../src/suppression/rotated-overlap.js";
import { type Anchors, type Kept, type SuppressionLimits, suppress } from "../../src/suppression/suppress.js";
import {
  rotatedScene,
  suppressionDifference,
  suppressOnGpu,
} from "../../src/suppression/suppression-check.js";
import { hasWebgpu } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";
import { seededNoise } from "../support/noise.js";

interface Case {
  /** Strings stand for numbers that JSON lacks. */
  boxes: (number | string)[][];
  /** With several labels, one list for each. */
  scores: (number | string)[] | (number | string)[][];
  confidence: number;
  iou: number;
  maxDetections: number;
  maxCandidates?: number;
  /** Boxes are centre, size, angle. */
  rotated?: boolean;
  labels?: { order: "score" | "label"; maxDetections: number };
  /** The anchors that are kept; with several labels [label, anchor]. */
  want: number[] | [number, number][];
}

const cases = casesOf<Case>("suppression");

/** A row is the 1-based index of its anchor; with several labels also the score and the label. */
function sceneOf(each: Case): [Anchors, SuppressionLimits] {
  const { boxes, scores, confidence, iou, maxDetections, rotated = false, labels } = each;
  const { maxCandidates = Number.POSITIVE_INFINITY } = each;
  const columns = labels === undefined ? 1 : 3;
  const rows = new Float32Array(boxes.length * columns).map((_, at) => (at % columns ? 0 : at / columns + 1));
  const anchors = {
    boxes: Float32Array.from(boxes.flat().map(Number)),
    scores: Float32Array.from(scores.flat().map(Number)),
    rows,
  };
  const limits = {
    columns,
    rowsOut: maxDetections + 1,
    maxDetections,
    confidence,
    iou,
    maxCandidates,
    rotated,
  };
  if (labels === undefined) return [anchors, limits];
  return [
    anchors,
    { ...limits, multiLabel: { ...labels, count: scores.length, scoreColumn: 1, labelColumn: 2 } },
  ];
}

const keptOf = ({ rows, count }: Kept): number[] => {
  const kept = Array.from(rows).flatMap((row) => (row > 0 ? [row - 1] : []));
  expect(kept.length).toBe(count);
  return kept;
};

/** Returns the kept anchors of a case, in the form of `want`. */
function wanted({ scores, labels }: Case, { rows, count }: Kept): Case["want"] {
  if (labels === undefined) return keptOf({ rows, count });
  expect(rows.slice(count * 3).every((value) => value === 0)).toBe(true);
  return Array.from({ length: count }, (_, row) => {
    const [anchor = 0, score, label = 0] = rows.subarray(row * 3, row * 3 + 3);
    expect(score).toBe(Math.fround(Number((scores[label] as number[])[anchor - 1])));
    return [label, anchor - 1] as [number, number];
  });
}

test("there are enough cases", () => expect(cases.length).toBeGreaterThan(8));

test.each(cases)("the CPU keeps the boxes of %s", (_, each) => {
  expect(wanted(each, suppress(...sceneOf(each)))).toEqual(each.want);
});

/** Boxes of up to ten pixels in a square; with integer sides some overlap by exactly the threshold. */
function randomScene(seed: number, anchors: number, spread: number, whole: boolean): Anchors {
  const random = seededNoise(seed);
  const number = (reach: number): number => (whole ? Math.floor(random() * reach) : random() * reach);
  const boxes = Array.from({ length: anchors }, () => {
    const [left, top] = [number(spread), number(spread)];
    return [left, top, left + 1 + number(9), top + 1 + number(9)];
  });
  const levels = whole ? anchors / 4 : 1 << 24;
  const scores = Float32Array.from({ length: anchors }, () => Math.ceil(random() * levels) / levels);
  const rows = Float32Array.from(scores.keys(), (anchor) => anchor + 1);
  return { boxes: Float32Array.from(boxes.flat()), scores, rows };
}

/** A scene with other scores for each label; some are NaN. */
function labelledScene(count: number, anchors: number, spread: number, whole: boolean): Anchors {
  const all = Array.from(
    { length: count },
    (_, label) => randomScene(label + 1, anchors, spread, whole).scores,
  );
  const scores = Float32Array.from(all.flatMap((each) => Array.from(each)));
  const rows = new Float32Array(anchors * 3).map((_, at) => (at % 3 ? 0 : at / 3 + 1));
  return {
    boxes: randomScene(1, anchors, spread, whole).boxes,
    scores: scores.map((score, at) => (at % 97 === 5 ? Number.NaN : score)),
    rows,
  };
}

/** [description, anchors, side of the square, IoU threshold, score threshold, limit, integers] */
const SCENES = [
  ["few of many anchors", 8400, 640, 0.7, 0.98, 300, false],
  ["8,400 candidates, most of them kept", 8400, 640, 0.5, 0, 8400, true],
  ["8,400 candidates, most of them suppressed", 8400, 96, 0.5, 0, 300, true],
  ["a crowd at one place", 2000, 6, 0.3, 0, 300, false],
  ["a third as the threshold, whole numbers", 3000, 60, 1 / 3, 0, 1000, true],
  ["a threshold of nothing", 1000, 100, 0, 0.5, 300, true],
  ["a threshold below nothing", 1000, 100, -0.1, 0.5, 300, true],
  ["one anchor", 1, 10, 0.5, 0, 1, false],
] as const;

/** The rows of a scene, reduced to the anchor's index. */
const oneColumn = (scene: Anchors): Anchors => ({
  ...scene,
  rows: Float32Array.from(scene.scores.keys(), (anchor) => anchor + 1),
});

const LIMITS = { columns: 1, maxCandidates: Number.POSITIVE_INFINITY, rotated: false };

test("in the GPU's trial scene no overlap is near the threshold", () => {
  const { boxes } = rotatedScene(700);
  const all = Array.from({ length: 700 }, (_, anchor) => gaussianOf(boxes, anchor));
  const limit = distanceAt(0.5);
  const near = all.map((first, index) =>
    Math.min(...all.slice(0, index).map((second) => Math.abs(distanceOf(first, second) - limit))),
  );
  expect(Math.min(...near)).toBeGreaterThan(1e-5);
});

describe.runIf(hasWebgpu)("the GPU keeps", () => {
  let device: GPUDevice;
  let suppressor: GpuSuppressor;
  let rotatedSuppressor: GpuSuppressor;
  const suppressorOf = ({ rotated }: SuppressionLimits): GpuSuppressor =>
    rotated ? rotatedSuppressor : suppressor;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    suppressor = await GpuSuppressor.open(device, false);
    rotatedSuppressor = await GpuSuppressor.open(device, true);
  });

  test.each(cases)("the boxes of %s", async (_, each) => {
    const [scene, limits] = sceneOf(each);
    const rows = await suppressOnGpu(device, suppressorOf(limits), scene, limits);
    expect(wanted(each, rows)).toEqual(each.want);
  });

  test.each(SCENES)("the CPU's boxes of %s", async (_, anchors, spread, iou, confidence, most, whole) => {
    const limits = { ...LIMITS, rowsOut: most, maxDetections: most, confidence, iou };
    for (const seed of [1, 2]) {
      const scene = randomScene(seed, anchors, spread, whole);
      const want = keptOf(suppress(scene, limits));
      expect(want.length).toBeGreaterThan(0);
      expect(keptOf(await suppressOnGpu(device, suppressor, scene, limits))).toEqual(want);
    }
  });

  test.each([
    ["few of many anchors", 8400, 0.98, 300],
    ["8,400 candidates", 8400, 0, 300],
    ["a crowd", 700, 0, 700],
  ] as const)("the CPU's rotated boxes: %s", async (_, anchors, confidence, most) => {
    const limits = { ...LIMITS, rotated: true, rowsOut: most, maxDetections: most, confidence, iou: 0.5 };
    const scene = oneColumn(rotatedScene(anchors));
    const want = keptOf(suppress(scene, limits));
    expect(want.length).toBeGreaterThan(2);
    expect(want.length).toBeLessThan(anchors);
    expect(keptOf(await suppressOnGpu(device, rotatedSuppressor, scene, limits))).toEqual(want);
  });

  test.each([
    ["few of three labels", 3, 2800, 640, 0.95, 300, false],
    ["80 labels of 8,400 scores above the threshold", 80, 105, 60, 0, 300, true],
    ["8,400 boxes of two labels, all above the threshold", 2, 8400, 200, 0, 300, true],
    ["more kept than there is room for", 300, 20, 640, 0, 100, true],
    ["a crowd at one place", 5, 300, 6, 0, 50, false],
  ] as const)("the CPU's boxes of %s", async (_, count, anchors, spread, confidence, most, whole) => {
    const rowsOut = most * 2;
    for (const order of ["score", "label"] as const) {
      const scene = labelledScene(count, anchors, spread, whole);
      const multiLabel = { count, maxDetections: most, order, scoreColumn: 1, labelColumn: 2 };
      const limits = {
        ...LIMITS,
        columns: 3,
        rowsOut,
        maxDetections: rowsOut,
        confidence,
        iou: 0.5,
        multiLabel,
      };
      const want = suppress(scene, limits);
      expect(want.count).toBeGreaterThan(2);
      expect(await suppressOnGpu(device, suppressor, scene, limits)).toEqual(want);
    }
  });

  test.each(["score", "label"] as const)(
    "the CPU's boxes of labels by %s, as in the trial",
    async (order) => {
      const multiLabel = { count: 80, maxDetections: 300, order };
      expect(await suppressionDifference(device, suppressor, { multiLabel })).toBeNull();
    },
  );

  test("the CPU's boxes of the trial scenes", async () => {
    expect(await suppressionDifference(device, suppressor, {})).toBeNull();
    expect(await suppressionDifference(device, rotatedSuppressor, { rotated: true })).toBeNull();
  });

  test("not the boxes of another box format", async () => {
    const limits = { ...LIMITS, rotated: true, rowsOut: 300, maxDetections: 300, confidence: 0, iou: 0.5 };
    const scene = oneColumn(rotatedScene(300));
    const upright = { ...scene, boxes: scene.boxes.map((value, at) => (at % 5 === 4 ? 0 : value)) };
    const rows = await suppressOnGpu(device, rotatedSuppressor, upright, limits);
    expect(keptOf(rows)).not.toEqual(keptOf(suppress(scene, limits)));
  });
});
