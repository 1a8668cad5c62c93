// Suppression of boxes that lie on the GPU: only the rows of those that are kept are read back.

import { ComputeCommands } from "../gpu/compute-commands.js";
import { ComputePipelines } from "../gpu/compute-pipelines.js";
import type { SuppressionLimits } from "./suppress.js";
import { BINDING, GROUP, ORDERED_WORDS, SHADER } from "./suppression-shader.js";

/** The buffers of a graph's outputs. */
export interface GpuAnchors {
  anchors: number;
  boxes: GPUBuffer;
  scores: GPUBuffer;
  rows: GPUBuffer;
}

const STAGES = ["selectAbove", "rank", "suppress"] as const;
type Stages = ComputePipelines<(typeof STAGES)[number], typeof BINDING>;

export class GpuSuppressor {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shader. Rejects where the GPU cannot have it. */
  static async open(device: GPUDevice): Promise<GpuSuppressor> {
    return new GpuSuppressor(await ComputePipelines.open(device, SHADER, BINDING, STAGES));
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
      const bound = { limits: uniforms, boxes, scores, rows, count, candidates, ordered, kept, found };
      const named = <Name extends keyof typeof bound>(...names: Name[]): Pick<typeof bound, Name> =>
        Object.fromEntries(names.map((name) => [name, bound[name]])) as Pick<typeof bound, Name>;
      const each = Math.ceil(anchors / GROUP);
      const dispatch = (
        stage: (typeof STAGES)[number],
        names: (keyof typeof bound)[],
        groups: number,
      ): void => this.#stages.dispatch(commands, stage, named(...names), [groups, 1, 1]);
      dispatch("selectAbove", ["limits", "scores", "count", "candidates"], each);
      dispatch("rank", ["boxes", "count", "candidates", "ordered"], each);
      dispatch("suppress", ["limits", "rows", "count", "ordered", "kept", "found"], 1);
      const [read = new ArrayBuffer()] = await commands.read(found);
      return new Float32Array(read);
    });
  }
}

function packLimits(anchors: number, limits: SuppressionLimits): Uint32Array<ArrayBuffer> {
  const words = Uint32Array.of(anchors, limits.columns, limits.rowsOut, limits.maxDetections, 0, 0, 0, 0);
  new Float32Array(words.buffer).set([limits.confidence, limits.iou], 4);
  return words;
}
