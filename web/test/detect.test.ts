import { test } from "vitest";
import type { Detection } from "../src/api.js";
import type { Geometry } from "../src/letterbox.js";
import type { DetectTask } from "../src/manifest.js";
import { decodeDetections } from "../src/tasks/detect.js";
import { room } from "./conformance.js";
import { expectFound } from "./detections.js";

interface Case {
  task: DetectTask;
  letterbox: Geometry;
  rows: number[][];
  want: { detections: Detection[] };
  tolerance: number;
}

test.each(room<Case>("detect"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  expectFound(decodeDetections(task, letterbox, Float32Array.from(rows.flat())), want.detections, tolerance);
});
