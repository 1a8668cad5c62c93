// Suppression of boxes that lie on the GPU: only the rows of those that are kept are read back.

import { ComputeCommands } from "../gpu/compute-commands.js";
import { ComputePipelines } from "../gpu/compute-pipelines.js";
import { BINDING, GROUP, ORDERED_WORDS } from "./candidates-wgsl.js";
import { distanceAt } from "./rotated-overlap.js";
import { ROTATED_SHADER } from "./rotated-shader.js";
import type { SuppressionLimits } from "./suppress.js";
import { SHADER } from "./suppression-shader.js";

/** The buffers of a graph's outputs. */
export interface GpuAnchors {
  anchors: number;
  boxes: GPUBuffer;
  scores: GPUBuffer;
  rows: GPUBuffer;
}

const BOX_STAGES = ["selectAbove", "rank", "suppress"] as const;
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

  /** Compiles the shader. Rejects where the GPU cannot have it. */
  static async open(device: GPUDevice, rotated: boolean): Promise<GpuSuppressor> {
    const [shader, stages] = rotated ? [ROTATED_SHADER, ROTATED_STAGES] : [SHADER, BOX_STAGES];
    return new GpuSuppressor(
      await ComputePipelines.open<Stage, typeof BINDING>(device, shader, BINDING, stages),
      rotated,
    );
  }

  /** Returns the rows of the boxes that are kept, zeros after the last. */
  run(
    { anchors, boxes, scores, rows }: GpuAnchors,
    limits: SuppressionLimits,
  ): Promise<Float32Array<ArrayBuffer>> {
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const { columns, rowsOut, maxDetections } = limits;
      const uniforms = commands.upload(packLimits(anchors, limits), GPUBufferUsage.UNIFORM);
      const count = commands.zeros(1);
      const candidates = commands.zeros(anchors * 2);
      const ordered = commands.zeros(anchors * ORDERED_WORDS);
      const kept = commands.zeros(maxDetections);
      const found = commands.zeros(rowsOut * columns);
      const spared = commands.zeros(this.#rotated ? anchors : 0);
      const bound = {
        limits: uniforms,
        boxes,
        scores,
        rows,
        count,
        candidates,
        ordered,
        spared,
        kept,
        found,
      };
      const named = <Name extends keyof typeof bound>(...names: Name[]): Pick<typeof bound, Name> =>
        Object.fromEntries(names.map((name) => [name, bound[name]])) as Pick<typeof bound, Name>;
      const each = Math.ceil(anchors / GROUP);
      const dispatch = (stage: Stage, names: (keyof typeof bound)[], groups: number): void =>
        this.#stages.dispatch(commands, stage, named(...names), [groups, 1, 1]);
      dispatch("selectAbove", ["limits", "scores", "count", "candidates"], each);
      if (this.#rotated) {
        dispatch("rank", ["limits", "boxes", "count", "candidates", "ordered"], each);
        dispatch("spare", ["limits", "count", "ordered", "spared"], each);
        dispatch("copyRows", ["limits", "rows", "count", "ordered", "spared", "kept", "found"], 1);
      } else {
        dispatch("rank", ["boxes", "count", "candidates", "ordered"], each);
        dispatch("suppress", ["limits", "rows", "count", "ordered", "kept", "found"], 1);
      }
      const [read = new ArrayBuffer()] = await commands.read(found);
      return new Float32Array(read);
    });
  }
}

function packLimits(anchors: number, limits: SuppressionLimits): Uint32Array<ArrayBuffer> {
  const { columns, rowsOut, maxDetections, confidence, iou, rotated } = limits;
  const most = Math.min(anchors, limits.maxCandidates);
  const words = Uint32Array.of(anchors, columns, rowsOut, maxDetections, 0, 0, 0, most);
  new Float32Array(words.buffer).set([confidence, rotated ? distanceAt(Math.fround(iou)) : iou], 4);
  return words;
}
