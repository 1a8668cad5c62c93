// Decodes masks over the picture from logits on the GPU. Only a byte for each pixel, and the logits of the
// best mask, are read back.

import type { MaskLogits, ObjectMask } from "../../../api/types.js";
import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import type { MaskGenerationTask } from "../../../manifest/manifest.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import type { Taps } from "../../../preprocess/resample.js";
import type { ChosenMasks } from "../decode-masks.js";
import { maskTaps } from "../mask-taps.js";
import { BINDING, GROUP, SHADER, STATS_WORDS } from "./mask-shader.js";

/** Logits on the GPU: one mask after another, each of the size of the grid. */
interface GpuLogits {
  values: GPUBuffer;
  grid: Size;
}

interface GpuMasks {
  masks: Omit<ObjectMask, "score">[];
  logits: MaskLogits;
  hasNan: boolean;
}

/** The maximum number of workgroups for pixels: enough to keep a GPU busy. */
const MAX_WORKGROUPS = 1024;

export class MaskPainter {
  readonly #stages: ComputePipelines<"threshold", typeof BINDING>;

  private constructor(stages: ComputePipelines<"threshold", typeof BINDING>) {
    this.#stages = stages;
  }

  /** Compiles the shader. Rejects if the GPU rejects it. */
  static async open(device: GPUDevice): Promise<MaskPainter> {
    return new MaskPainter(await ComputePipelines.open(device, SHADER, BINDING, ["threshold"]));
  }

  /** Paints the masks. Rejects with the device's error. */
  paint(
    task: MaskGenerationTask,
    geometry: Geometry,
    { values, grid }: GpuLogits,
    chosen: ChosenMasks,
  ): Promise<GpuMasks> {
    const { width, height } = geometry.source;
    const cells = grid.width * grid.height;
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const taps = maskTaps(task, geometry, grid);
      const [columns, rows] = [commands.upload(packed(taps.columns)), commands.upload(packed(taps.rows))];
      const words = Math.ceil((width * height) / 4);
      const made = chosen.masks.map((index) => {
        const [mask, stats] = [commands.zeros(words), commands.zeros(STATS_WORDS)];
        const sizes = Uint32Array.of(
          grid.width,
          grid.height,
          width,
          height,
          index * cells,
          taps.rows.count,
          0,
          0,
        );
        new Float32Array(sizes.buffer)[6] = task.threshold;
        const bound = {
          sizes: commands.upload(sizes, GPUBufferUsage.UNIFORM),
          logits: values,
          columns,
          rows,
        };
        const groups = Math.min(MAX_WORKGROUPS, Math.ceil(words / GROUP));
        this.#stages.dispatch(commands, "threshold", { ...bound, mask, stats }, [groups, 1, 1]);
        return { mask, stats };
      });
      const best = commands.zeros(cells);
      commands.copy(values, (chosen.masks[chosen.best] ?? 0) * cells * 4, best);
      const read = await commands.read(best, ...made.flatMap(({ mask, stats }) => [mask, stats]));
      const [logits = new ArrayBuffer(), ...pairs] = read;
      const found = made.map((_, at) => maskOf(pairs[at * 2], pairs[at * 2 + 1], width * height));
      return {
        masks: found.map(({ mask, box }) => ({ mask, box })),
        logits: { data: new Float32Array(logits), columns: grid.width, rows: grid.height },
        hasNan: found.some(({ hasNan }) => hasNan),
      };
    });
  }
}

function maskOf(
  bytes = new ArrayBuffer(),
  words = new ArrayBuffer(),
  pixels: number,
): Omit<ObjectMask, "score"> & { hasNan: boolean } {
  const [left = 0, top = 0, x2 = 0, y2 = 0, hasNan = 0] = new Uint32Array(words);
  const box = x2 === 0 ? { x1: 0, y1: 0, x2: 0, y2: 0 } : { x1: ~left >>> 0, y1: ~top >>> 0, x2, y2 };
  return { mask: new Uint8Array(bytes).slice(0, pixels), box, hasNan: hasNan !== 0 };
}

/** Packs an index and the bits of a float32 weight for each tap. */
function packed({ at, weights }: Taps): Uint32Array<ArrayBuffer> {
  const words = new Uint32Array(at.length * 2);
  const floats = new Float32Array(words.buffer);
  for (const [index, cell] of at.entries()) {
    words[index * 2] = cell;
    floats[index * 2 + 1] = weights[index] ?? 0;
  }
  return words;
}
