import { test } from "vitest";
import type { Pose } from "../../src/api/types.js";
import type { PoseTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodePoses } from "../../src/tasks/pose/task.js";
import { expectFound } from "../support/compare-detections.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: PoseTask;
  letterbox: Geometry;
  rows: number[][];
  want: { poses: Pose[] };
  tolerance: number;
}

test.each(casesOf<Case>("pose"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  expectFound(decodePoses(task, letterbox, Float32Array.from(rows.flat())), want.poses, tolerance);
});
