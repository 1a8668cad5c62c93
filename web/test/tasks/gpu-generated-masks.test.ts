import { beforeAll, describe, expect, test } from "vitest";
import { noise, withBuffer } from "../../src/gpu/self-check-data.js";
import type { MaskGenerationTask } from "../../src/manifest/manifest.js";
import type { Geometry } from "../../src/preprocess/letterbox.js";
import { decodeMask } from "../../src/tasks/mask-generation/decode-masks.js";
import { MaskPainter } from "../../src/tasks/mask-generation/gpu/gpu-masks.js";
import { masksDifference } from "../../src/tasks/mask-generation/gpu/masks-self-check.js";
import { hasWebgpu } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  task: MaskGenerationTask;
  letterbox: Geometry;
  logits: number[][][];
  want: { masks: { rows: string[]; box: object }[] };
}

const cases = casesOf<Case>("mask-generation");

describe.runIf(hasWebgpu)("a mask that is made on the GPU", () => {
  let device: GPUDevice;
  let painter: MaskPainter;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    painter = await MaskPainter.open(device);
  });

  test("passes the runtime's self-check", async () => {
    expect(await masksDifference(device, painter)).toBeNull();
  });

  test.each(cases)("%s", async (_, { task, letterbox, logits }) => {
    const [rows = 0, columns = 0] = [logits[0]?.length, logits[0]?.[0]?.length];
    const grid = { width: columns, height: rows };
    const values = Float32Array.from(logits.flat(2));
    const chosen = { masks: [...logits.keys()], best: 1 };
    const got = await withBuffer(device, values, (buffer) =>
      painter.paint(task, letterbox, { values: buffer, grid }, chosen),
    );
    for (const index of chosen.masks) {
      const want = decodeMask(task, letterbox, values.subarray(index * rows * columns), grid);
      const { mask, box } = got.masks[index] ?? { mask: [], box: null };
      expect(mask.length).toBe(want.mask.length);
      const off = want.mask.filter((pixel, at) => pixel !== mask[at]).length;
      expect(off, `mask ${index}`).toBeLessThanOrEqual(1);
      if (off === 0) expect(box).toEqual(want.box);
    }
    expect(got.logits.data).toEqual(values.subarray(rows * columns, 2 * rows * columns));
    expect(got.hasNan).toBe(false);
  });

  test("with a NaN reports it, and does not cover that pixel", async () => {
    const [, { task }] = cases[0] ?? ["", {} as Case];
    const values = noise(256, 4).fill(3, 0, 256);
    values[17] = Number.NaN;
    const geometry = { source: { width: 64, height: 64 }, left: 0, top: 0, width: 64, height: 64 };
    const grid = { width: 16, height: 16 };
    const got = await withBuffer(device, values, (buffer) =>
      painter.paint(
        { ...task, frame: [64, 64] },
        geometry,
        { values: buffer, grid },
        { masks: [0], best: 0 },
      ),
    );
    expect(got.hasNan).toBe(true);
    expect(got.masks[0]?.mask[6 * 64 + 6]).toBe(0);
    expect(got.masks[0]?.mask[40 * 64 + 40]).toBe(1);
  });
});
