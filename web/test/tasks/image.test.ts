import { beforeAll, describe, expect, test } from "vitest";
import { maxLevelDifference, withBuffer } from "../../src/gpu/self-check-data.js";
import type { ImageTask } from "../../src/manifest/manifest.js";
import type { Geometry, Size } from "../../src/preprocess/letterbox.js";
import { GpuPicture } from "../../src/tasks/image/gpu/gpu-picture.js";
import { pictureDifference } from "../../src/tasks/image/gpu/picture-self-check.js";
import { paintPicture } from "../../src/tasks/image/picture-pixels.js";
import { hasWebgpu } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: ImageTask;
  letterbox: Geometry;
  input: Size;
  planes: (number | "NaN")[][][];
  /** The source pixels of a case with luma. */
  picture?: number[][];
  want: { width: number; height: number; rgba: number[][] };
}

const cases = casesOf<Case>("image");

/** The elements of an output in its layout. */
function outputOf({ task, planes }: Case): Float32Array<ArrayBuffer> {
  const flat = planes.map((rows) => rows.flat().map(Number));
  if (task.layout === "nchw") return Float32Array.from(flat.flat());
  const [first = []] = flat;
  return Float32Array.from(first.flatMap((_, cell) => flat.map((plane) => plane[cell] ?? 0)));
}

/** The source image; without luma only its size counts. */
function sourceOf({ picture, letterbox: { source } }: Case): ImageData | null {
  return picture ? new ImageData(Uint8ClampedArray.from(picture.flat()), source.width, source.height) : null;
}

function gridOf({ planes }: Case): Size {
  return { width: planes[0]?.[0]?.length ?? 0, height: planes[0]?.length ?? 0 };
}

test.each(cases)("%s", (_, each) => {
  const { task, letterbox, input, want } = each;
  const planes = { values: outputOf(each), grid: gridOf(each), input };
  const picture = paintPicture(letterbox, task, planes, sourceOf(each));
  expect([picture.width, picture.height]).toEqual([want.width, want.height]);
  expect(Array.from(picture.data)).toEqual(want.rgba.flat());
});

describe.runIf(hasWebgpu)("an image painted on the GPU", () => {
  let device: GPUDevice;
  let painter: GpuPicture;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    painter = await GpuPicture.open(device);
  });

  test.each(cases)("%s", async (_, each) => {
    const { task, letterbox, input, want } = each;
    const values = outputOf(each);
    const got = await withBuffer(device, values, (buffer) =>
      painter.paint(task, letterbox, { values: buffer, grid: gridOf(each), input }, sourceOf(each)),
    );
    const wanted = new ImageData(Uint8ClampedArray.from(want.rgba.flat()), want.width, want.height);
    expect(maxLevelDifference(wanted.data, got.picture.data)).toBeLessThanOrEqual(1);
    expect(got.hasNan).toBe(values.some(Number.isNaN));
    expect(got.isOneColor).toBe(new Set(want.rgba.filter(([, , , alpha]) => alpha).map(String)).size === 1);
  });

  test("equals the CPU's", async () => {
    expect(await pictureDifference(device, painter)).toBeNull();
  });
});
