// Suppression (NMS) of boxes on the GPU: only the rows of kept boxes are read back.

import { ComputeCommands } from "../gpu/compute-commands.js";
import { ComputePipelines } from "../gpu/compute-pipelines.js";
import { BINDING, GROUP, NO_COLUMN, ORDERED_WORDS } from "./candidates-wgsl.js";
import { distanceAt } from "./rotated-overlap.js";
import { ROTATED_SHADER } from "./rotated-shader.js";
import type { Kept, SuppressionLimits } from "./suppress.js";
import { SHADER } from "./suppression-shader.js";

/** The buffers of a graph's outputs. */
interface GpuAnchors {
  anchors: number;
  boxes: GPUBuffer;
  scores: GPUBuffer;
  rows: GPUBuffer;
}

const BOX_STAGES = ["selectAbove", "rank", "suppress", "joinLabels"] as const;
const ROTATED_STAGES = ["selectAbove", "rank", "spare", "copyRows"] as const;
type Stage = (typeof BOX_STAGES | typeof ROTATED_STAGES)[number];
type Stages = ComputePipelines<Stage, typeof BINDING>;

export class GpuSuppressor {
  readonly #stages: Stages;
  readonly #rotated: boolean;

  private constructor(stages: Stages, rotated: boolean) {
    this.#stages = stages;
    this.#rotated = rotated;
  }

  /** Compiles the shader. Rejects if the GPU rejects it. */
  static async open(device: GPUDevice, rotated: boolean): Promise<GpuSuppressor> {
    const [shader, stages] = rotated ? [ROTATED_SHADER, ROTATED_STAGES] : [SHADER, BOX_STAGES];
    return new GpuSuppressor(
      await ComputePipelines.open<Stage, typeof BINDING>(device, shader, BINDING, stages),
      rotated,
    );
  }

  /** Returns the rows of the kept boxes, zeros after the last, and their count. */
  run({ anchors, boxes, scores, rows }: GpuAnchors, limits: SuppressionLimits): Promise<Kept> {
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const { columns, rowsOut, maxDetections } = limits;
      const { count: labels = 1, maxDetections: mostOfLabel = maxDetections } = limits.multiLabel ?? {};
      const bound = {
        limits: commands.upload(packLimits(anchors, limits), GPUBufferUsage.UNIFORM),
        boxes,
        scores,
        rows,
        count: commands.zeros(labels),
        candidates: commands.zeros(labels * anchors * 2),
        ordered: commands.zeros(labels * anchors * ORDERED_WORDS),
        spared: commands.zeros(this.#rotated ? anchors : 0),
        kept: commands.zeros(labels * mostOfLabel),
        keptCounts: commands.zeros(labels),
        found: commands.zeros(rowsOut * columns + 1),
      };
      const each = Math.ceil(anchors / GROUP);
      const dispatch = (stage: Stage, names: (keyof typeof bound)[], groups: [number, number]): void => {
        const named = Object.fromEntries(names.map((name) => [name, bound[name]]));
        this.#stages.dispatch(commands, stage, named, [...groups, 1]);
      };
      dispatch("selectAbove", ["limits", "scores", "count", "candidates"], [each, labels]);
      dispatch("rank", ["limits", "boxes", "count", "candidates", "ordered"], [each, labels]);
      if (this.#rotated) {
        dispatch("spare", ["limits", "count", "ordered", "spared"], [each, 1]);
        dispatch("copyRows", ["limits", "rows", "count", "ordered", "spared", "kept", "found"], [1, 1]);
      } else {
        const made = ["limits", "rows", "ordered", "kept", "keptCounts", "found"] as const;
        dispatch("suppress", [...made, "count"], [labels, 1]);
        if (labels > 1) dispatch("joinLabels", [...made, "scores"], [Math.ceil(mostOfLabel / GROUP), labels]);
      }
      const [read = new ArrayBuffer()] = await commands.read(bound.found);
      const found = new Float32Array(read);
      return { rows: found.slice(0, -1), count: found.at(-1) ?? 0 };
    });
  }
}

function packLimits(anchors: number, limits: SuppressionLimits): Uint32Array<ArrayBuffer> {
  const { columns, rowsOut, maxDetections, confidence, iou, rotated, multiLabel: labels } = limits;
  const most = Math.min(anchors, limits.maxCandidates);
  const words = new Uint32Array(16);
  words.set([anchors, columns, rowsOut, maxDetections, 0, 0, 0, most]);
  new Float32Array(words.buffer).set([confidence, rotated ? distanceAt(Math.fround(iou)) : iou], 4);
  const { scoreColumn = NO_COLUMN, labelColumn = NO_COLUMN } = labels ?? {};
  const { count = 1, maxDetections: mostOfLabel = maxDetections, order = "score" } = labels ?? {};
  words.set([count, mostOfLabel, scoreColumn, labelColumn, order === "score" ? 1 : 0], 8);
  return words;
}
