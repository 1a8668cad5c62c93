import { test } from "vitest";
import type { Pose } from "../src/api.js";
import type { Geometry } from "../src/letterbox.js";
import type { PoseTask } from "../src/manifest.js";
import { decodePoses } from "../src/tasks/pose.js";
import { room } from "./conformance.js";
import { expectFound } from "./detections.js";

interface Case {
  task: PoseTask;
  letterbox: Geometry;
  rows: number[][];
  want: { poses: Pose[] };
  tolerance: number;
}

test.each(room<Case>("pose"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  expectFound(decodePoses(task, letterbox, Float32Array.from(rows.flat())), want.poses, tolerance);
});
