import { describe, expect, test } from "vitest";
import type { ImageSegmentationTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { mapTaps, readRows } from "../../src/tasks/depth/depth-map.js";
import { type ArgmaxResult, argmax, type ScoredMap } from "../../src/tasks/image-segmentation/argmax.js";
import { ColumnGroups, type ContendedRow } from "../../src/tasks/image-segmentation/contenders.js";
import { probabilities } from "../../src/tasks/image-segmentation/mask-logits.js";

const TASKS = [[60, 96], [61, 45], []].map((maskSize) => ({ maskSize }) as unknown as ImageSegmentationTask);
const GRID = { width: 12, height: 10 };
const INPUT = { width: 48, height: 40 };
const THRESHOLD = 0.5;

/** Random blobs on noise, like a model's; some maps may contain NaN, or values so large that no digits are left. */
function randomLogits(hasNan: boolean): ScoredMap[] {
  const scale = [0.1, 2, 20, 200][Math.floor(Math.random() * 4)] ?? 1;
  return Array.from({ length: 2 + Math.floor(Math.random() * 4) }, () => {
    const [x, y, radius] = [Math.random() * GRID.width, Math.random() * GRID.height, Math.random() * 6];
    const values = Float32Array.from({ length: GRID.width * GRID.height }, (_, cell) => {
      const far = Math.hypot((cell % GRID.width) - x, Math.floor(cell / GRID.width) - y);
      return hasNan && Math.random() < 0.02 ? Number.NaN : scale * (radius - far) + Math.random();
    });
    return { map: { values, grid: GRID, input: INPUT }, weight: Math.fround(0.5 + Math.random() / 2) };
  });
}

function randomGeometry(): Geometry {
  const source = { width: 1 + Math.floor(Math.random() * 330), height: 1 + Math.floor(Math.random() * 130) };
  const isWhole = Math.random() < 0.5;
  return {
    source,
    ...(isWhole ? { left: 0, top: 0, ...INPUT } : { left: 5, top: -3, width: 40, height: 46 }),
  };
}

interface Labelled {
  labels: number[];
  pixelCounts: number[];
}

/** The definition: the first of the largest values, pixel by pixel. */
function expectedArgmax(geometry: Geometry, scored: readonly ScoredMap[], threshold: number): Labelled {
  const { width, height } = geometry.source;
  const labels: number[] = Array(width * height).fill(0);
  const best = new Float32Array(labels.length).fill(Number.NEGATIVE_INFINITY);
  const pixelCounts = scored.map(({ map, weight }, index) => {
    let [at, count] = [0, 0];
    for (const row of readRows(geometry, map)) {
      for (const pixel of row) {
        const value = Math.fround(pixel * weight);
        if (value >= threshold) count++;
        if (value > (best[at] ?? 0)) [best[at], labels[at]] = [value, index + 1];
        at++;
      }
    }
    return count;
  });
  return { labels, pixelCounts };
}

function painted({ source }: Geometry, { runs, pixelCounts }: ArgmaxResult): Labelled {
  return { labels: [...runs.paint(new Int32Array(source.width * source.height), Number)], pixelCounts };
}

describe.each([false, true])("with NaN: %s", (hasNan) => {
  test.each(TASKS)("pixels and counts equal those from all probabilities, $maskSize", (task) => {
    const [height, width] = task.maskSize;
    const resized = height === undefined || width === undefined ? null : { width, height };
    for (let round = 0; round < 60; round++) {
      const [logits, geometry] = [randomLogits(hasNan), randomGeometry()];
      const exact = logits.map(({ map, weight }) => ({ map: probabilities(task, map), weight }));
      const want = expectedArgmax(geometry, exact, THRESHOLD);
      const counted = { resized: null, threshold: THRESHOLD, areLogits: false };
      expect(painted(geometry, argmax(geometry, exact, counted))).toEqual(want);
      const lazy = argmax(geometry, logits, { areLogits: true, resized, threshold: THRESHOLD });
      expect(painted(geometry, lazy)).toEqual(want);
    }
  });

  test("pixels follow the largest values, which may be negative", () => {
    for (let round = 0; round < 60; round++) {
      const [maps, geometry] = [randomLogits(hasNan), randomGeometry()];
      const { labels } = expectedArgmax(geometry, maps, 0);
      expect(painted(geometry, argmax(geometry, maps)).labels).toEqual(labels);
    }
  });
});

test("an image without maps belongs to no class", () => {
  const geometry = randomGeometry();
  const { width, height } = geometry.source;
  expect(painted(geometry, argmax(geometry, [])).labels).toEqual(Array(width * height).fill(0));
});

describe("which maps are read where", () => {
  /** An image of 64 columns with as many cells: 8 blocks. Each map is given by the bounds of a block's cells. */
  function contended(maps: [least: number, most: number][][], threshold: number | null): ContendedRow {
    const { columns } = mapTaps(
      { source: { width: 64, height: 8 }, left: 0, top: 0, width: 64, height: 8 },
      { width: 64, height: 8 },
      { width: 64, height: 8 },
    );
    const rows = maps.map((bounds) => ({
      weight: 1,
      rows: {
        least: Float32Array.from({ length: 8 }, (_, block) => (bounds[block] ?? bounds[0] ?? [0])[0] ?? 0),
        most: Float32Array.from({ length: 8 }, (_, block) => (bounds[block] ?? bounds[0] ?? [0, 0])[1] ?? 0),
      },
    }));
    return new ColumnGroups(columns, 8).contended(rows, false, threshold);
  }

  test("none where one map wins and reaches the threshold, and no other can", () => {
    const found = contended([[[0.6, 0.9]], [[0.1, 0.4]]], 0.5);
    expect(found).toEqual({ spans: [[], []], sole: [{ map: 0, from: 0, to: 64 }] });
  });

  test.each([
    ["they overlap", [[0.6, 0.9]], [[0.1, 0.7]], [1, 1]],
    ["one may be below the threshold", [[0.45, 0.9]], [[0.1, 0.4]], [1, 0]],
    ["the loser may reach the threshold", [[0.8, 0.9]], [[0.1, 0.6]], [1, 1]],
    ["they are equal", [[0.6, 0.6]], [[0.6, 0.6]], [1, 1]],
    ["one is NaN", [[Number.NaN, Number.NaN]], [[0.1, 0.4]], [1, 1]],
  ] as [string, [number, number][], [number, number][], number[]][])(
    "all maps that matter where %s",
    (_, a, b, read) => {
      const { spans, sole } = contended([a, b], 0.5);
      expect(sole).toEqual([]);
      expect(spans).toEqual(read.map((reads) => (reads === 1 ? [[0, 64]] : [])));
    },
  );

  test("without a threshold only the largest matters", () => {
    expect(contended([[[-3, -2]], [[-9, -4]]], null).sole).toEqual([{ map: 0, from: 0, to: 64 }]);
  });

  test("a block between others is read including its partly covered pixels", () => {
    const near: [number, number][] = [[0.6, 0.9], [0.6, 0.9], [0.3, 0.9], ...Array(5).fill([0.6, 0.9])];
    const { spans, sole } = contended([near, [[0.1, 0.25]]], 0.5);
    expect(spans).toEqual([[[16, 24]], []]);
    expect(sole).toEqual([
      { map: 0, from: 0, to: 16 },
      { map: 0, from: 24, to: 64 },
    ]);
  });
});
