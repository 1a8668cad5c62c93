import { describe, expect, test } from "vitest";
import type { Region } from "../../src/api/types.js";
import type { ImageInput, ImageSegmentationTask, Manifest } from "../../src/manifest/manifest.js";
import { decode } from "../../src/postprocess/decode.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeRegions } from "../../src/tasks/image-segmentation/decode-regions.js";
import { withMode } from "../../src/tasks/image-segmentation/options.js";
import { variants } from "../fixture/manifests.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: ImageSegmentationTask;
  letterbox: Geometry;
  input: { width: number; height: number };
  /** Rows of digits as one list of numbers. */
  masks: string[][];
  scores: number[][] | null;
  want: { map: string[]; regions: Region[] };
  tolerance: number;
}

test.each(casesOf<Case>("image-segmentation"))(
  "%s",
  (_, { task, letterbox, input, masks, scores, want, tolerance }) => {
    const rows = masks.flat().map((row) => row.split(" ").map(Number));
    const { regions, map } = decodeRegions(task, letterbox, {
      masks: Float32Array.from(rows.flat()),
      scores: scores && Float32Array.from(scores.flat()),
      grid: { width: rows[0]?.length ?? 0, height: masks[0]?.length ?? 0 },
      input,
    });
    const { width, height } = letterbox.source;
    const lines = Array.from({ length: height }, (_, y) => map.subarray(y * width, (y + 1) * width).join(""));
    expect(lines).toEqual(want.map);
    const unscored = (all: Region[]) => all.map(({ score, ...region }) => region);
    expect(unscored(regions)).toEqual(unscored(want.regions));
    for (const [index, { score }] of want.regions.entries()) {
      const got = regions[index]?.score;
      if (score === null) expect(got).toBeNull();
      else expect(Math.abs((got ?? Number.NaN) - score)).toBeLessThanOrEqual(tolerance);
    }
  },
);

describe("a manifest of task image-segmentation", () => {
  const base = variants([])["tensor.json"] as Manifest;
  const task: ImageSegmentationTask = {
    kind: "image-segmentation",
    masks: "masks",
    scores: "scores",
    classes: ["cat", "sky"],
    mode: "panoptic",
    labelIdsToFuse: [1],
    maskSize: [],
    threshold: 0.5,
    maskThreshold: 0.5,
    overlapMaskAreaThreshold: 0.8,
  };
  const float = (name: string, shape: number[]) => ({ name, dtype: "float32" as const, shape });
  const manifest: Manifest = {
    ...base,
    task,
    inputs: [{ ...(base.inputs[0] as ImageInput), shape: [1, 3, 1, 2] }],
    outputs: [float("masks", [1, 2, 1, 2]), float("scores", [1, 2, 3])],
  };
  const geometry = { source: { width: 2, height: 1 }, left: 0, top: 0, width: 2, height: 1 };
  const outputs = {
    masks: { type: "float32" as const, dims: [1, 2, 1, 2], data: Float32Array.of(9, -9, -9, 9) },
    scores: { type: "float32" as const, dims: [1, 2, 3], data: Float32Array.of(9, 0, 0, 0, 8, 0) },
  };

  test("gives a number for each pixel and a region for each number", () => {
    const found = decode(manifest, outputs, geometry);
    expect(found).toMatchObject({ kind: "image-segmentation", width: 2, height: 1, mode: "panoptic" });
    expect(found).toMatchObject({ map: Uint16Array.of(1, 2) });
    expect(found).toMatchObject({ regions: [{ label: "cat", pixels: 1, share: 0.5 }, { label: "sky" }] });
  });

  test("refuses scores of another number of classes", () => {
    const odd = { ...outputs, scores: { ...outputs.scores, dims: [1, 3, 2] } };
    expect(() => decode(manifest, odd, geometry)).toThrow("scores: wanted float32 [1, 2, 3]");
  });

  test("accepts a requested mode that the task has", () => {
    expect(withMode(task, undefined)).toBe(task);
    expect(decode(manifest, outputs, geometry, withMode(task, "semantic"))).toMatchObject({
      mode: "semantic",
      regions: [{ score: null }, { score: null }],
    });
    expect(() => withMode(task, "sharp" as "semantic")).toThrow('the model has no "sharp"');
    const maps = { ...task, scores: null };
    expect(() => withMode(maps, "panoptic")).toThrow('the model has no "panoptic"');
  });
});
