// Self-check: how many pixels of masks from the same noise differ between GPU and CPU.

import { noise, withBuffer } from "../../../gpu/self-check-data.js";
import type { MaskGenerationTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { decodeMask } from "../decode-masks.js";
import type { MaskPainter } from "./gpu-masks.js";

const GRID = { width: 9, height: 8 };
const GEOMETRY: Geometry = { source: { width: 61, height: 47 }, left: 0, top: 3, width: 36, height: 28 };
const TASK: MaskGenerationTask = {
  kind: "mask-generation",
  masks: "",
  scores: "",
  single: 0,
  multi: [1, 2],
  frame: [32, 36],
  coordinates: "pixels",
  box: "corners",
  paddingPoint: true,
  throughInput: true,
  threshold: 0.5,
};
const CHOSEN = { masks: [1, 2], best: 1 };

/** Returns in words what differs, null if nothing does. */
export async function masksDifference(device: GPUDevice, painter: MaskPainter): Promise<string | null> {
  const cells = GRID.width * GRID.height;
  const values = noise(3 * cells, 4);
  for (const throughInput of [true, false]) {
    const task = { ...TASK, throughInput };
    const got = await withBuffer(device, values, (buffer) =>
      painter.paint(task, GEOMETRY, { values: buffer, grid: GRID }, CHOSEN),
    );
    for (const [at, index] of CHOSEN.masks.entries()) {
      const want = decodeMask(task, GEOMETRY, values.subarray(index * cells), GRID);
      const off = want.mask.filter((pixel, place) => pixel !== got.masks[at]?.mask[place]).length;
      if (off > 2) return `${off} of ${want.mask.length} pixels differ`;
      if (off === 0 && JSON.stringify(want.box) !== JSON.stringify(got.masks[at]?.box))
        return "the box differs";
    }
    if (got.logits.data.some((value, at) => value !== values[2 * cells + at])) return "the logits differ";
  }
  return null;
}
