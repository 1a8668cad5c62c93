// The outputs of a run into the result of its task.

import type { PoseResult, TensorResult, Tensors, Warning } from "./api.js";
import { WebbuildError } from "./errors.js";
import type { Geometry } from "./letterbox.js";
import type { Manifest, PoseTask } from "./manifest.js";
import { decodePoses } from "./tasks/pose.js";

type Answer = "timings" | "backend" | "repeated" | "warnings";
export type Decoded = Omit<PoseResult, Answer> | Omit<TensorResult, Answer>;

/** The outputs that the task needs: nothing else is read back from the GPU. */
export function neededOutputs({ task, outputs }: Manifest): string[] {
  return task.kind === "pose" ? [task.output] : outputs.map(({ name }) => name);
}

export function decode({ task }: Manifest, outputs: Tensors, geometry: Geometry): Decoded {
  const { width, height } = geometry.source;
  switch (task.kind) {
    case "pose":
      return { kind: "pose", width, height, poses: decodePoses(task, geometry, poseRows(task, outputs)) };
    case "tensor":
      return { kind: "tensor", width, height, outputs };
    default:
      return task satisfies never;
  }
}

/** A NaN is an answer that no model means to give. */
export function nanWarnings(outputs: Tensors): Warning[] {
  const broken = Object.entries(outputs).filter(
    ([, { type, data }]) => type === "float32" && data.some(Number.isNaN),
  );
  return broken.map(([name]) => ({
    code: "nan-output",
    message: `${name} holds NaN: this answer is not to be trusted`,
    fix: 'compare with { backend: "wasm" }, and run `webbuild verify` on the bundle',
  }));
}

function poseRows(task: PoseTask, outputs: Tensors): Float32Array {
  const rows = outputs[task.output];
  const dims = [1, task.rows, 6 + task.keypoints.length * task.keypointSize];
  if (rows?.type === "float32" && rows.dims.join() === dims.join()) return rows.data;
  const got = rows === undefined ? "nothing" : `${rows.type} [${rows.dims.join(", ")}]`;
  const what = `${task.output}: wanted float32 [${dims.join(", ")}], the graph gave ${got}`;
  throw new WebbuildError("run-failed", what, "pack the model again");
}
