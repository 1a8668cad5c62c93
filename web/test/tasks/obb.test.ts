import { expect, test } from "vitest";
import type { OrientedObject } from "../../src/api/types.js";
import type { ObbTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeObjects } from "../../src/tasks/obb/task.js";
import { expectFound } from "../support/compare-detections.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: ObbTask;
  letterbox: Geometry;
  rows: number[][];
  want: { objects: OrientedObject[] };
  tolerance: number;
}

test.each(casesOf<Case>("obb"))("%s", (_, { task, letterbox, rows, want, tolerance }) => {
  const got = decodeObjects(task, letterbox, Float32Array.from(rows.flat()));
  expectFound(got, want.objects, tolerance);
  for (const [index, object] of want.objects.entries()) {
    const { center, width, height, angle, corners } = got[index] as OrientedObject;
    expect(corners).toHaveLength(4);
    expectClose(numbers({ center, width, height, angle, corners }), numbers(object), tolerance);
  }
});

type Turned = Pick<OrientedObject, "center" | "width" | "height" | "angle" | "corners">;

function numbers({ center, width, height, angle, corners }: Turned): number[] {
  return [center.x, center.y, width, height, angle, ...corners.flatMap(({ x, y }) => [x, y])];
}
