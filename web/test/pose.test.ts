import { expect, test } from "vitest";
import type { Pose } from "../src/api.js";
import type { Geometry } from "../src/letterbox.js";
import type { PoseTask } from "../src/manifest.js";
import { decodePoses } from "../src/tasks/pose.js";
import { room } from "./conformance.js";
import { expectClose } from "./tensors.js";

interface Case {
  task: PoseTask;
  letterbox: Geometry;
  rows: number[][];
  want: { poses: Pose[] };
  tolerance: number;
}

test.each(room<Case>("pose"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  const poses = decodePoses(task, letterbox, Float32Array.from(rows.flat()));
  expect(poses.map(words)).toEqual(want.poses.map(words));
  if (want.poses.length > 0) expectClose(poses.flatMap(numbers), want.poses.flatMap(numbers), tolerance);
});

function words({ label, classIndex, keypoints }: Pose): unknown {
  return { label, classIndex, keypoints: keypoints.map(({ name }) => name) };
}

function numbers({ box, score, keypoints }: Pose): number[] {
  return [
    box.x1,
    box.y1,
    box.x2,
    box.y2,
    score,
    ...keypoints.flatMap(({ x, y, confidence }) => [x, y, confidence]),
  ];
}
