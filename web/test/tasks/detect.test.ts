import { test } from "vitest";
import type { Detection } from "../../src/api/types.js";
import type { DetectTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeDetections } from "../../src/tasks/detect/task.js";
import { expectFound } from "../support/compare-detections.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: DetectTask;
  letterbox: Geometry;
  rows: number[][];
  want: { detections: Detection[] };
  tolerance: number;
}

test.each(casesOf<Case>("detect"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  expectFound(decodeDetections(task, letterbox, Float32Array.from(rows.flat())), want.detections, tolerance);
});
