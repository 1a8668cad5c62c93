import { expect, test } from "vitest";
import type { Detection, Mask, Segment } from "../../src/api/types.js";
import type { SegmentTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeSegments } from "../../src/tasks/segment/decode-segments.js";
import { expectFound } from "../support/compare-detections.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

type Drawn = Omit<Mask, "rows" | "data"> & { cells: string[] };

interface Case {
  task: SegmentTask;
  input: { width: number; height: number };
  letterbox: Geometry;
  rows: number[][];
  protos: number[][][];
  want: { segments: (Detection & { mask: Drawn })[] };
  tolerance: number;
}

test.each(casesOf<Case>("segment"))("%s", (_, { task, input, letterbox, rows, protos, want, tolerance }) => {
  const grid = { width: protos[0]?.[0]?.length ?? 0, height: protos[0]?.length ?? 0 };
  const elements = Float32Array.from(protos.flat(2));
  const prototypes = { protos: elements, grid, input };
  const got = decodeSegments(task, letterbox, Float32Array.from(rows.flat()), prototypes);
  expectFound(got, want.segments, tolerance);
  for (const [index, { mask }] of want.segments.entries()) {
    const found = (got[index] as Segment).mask;
    expect({ columns: found.columns, cells: cells(found) }).toEqual({
      columns: mask.columns,
      cells: mask.cells,
    });
    expectClose(rectangle(found), rectangle(mask), tolerance);
  }
});

function cells({ columns, rows, data }: Mask): string[] {
  expect(data).toHaveLength(columns * rows);
  return Array.from({ length: rows }, (_, row) => data.subarray(row * columns, (row + 1) * columns).join(""));
}

function rectangle({ x, y, width, height }: Omit<Mask, "columns" | "rows" | "data">): number[] {
  return [x, y, width, height];
}
