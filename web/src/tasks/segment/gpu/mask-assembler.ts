// Computes masks from prototypes on the GPU. Only a bit for each of their pixels is read back.

import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import { packTaps } from "../../../gpu/map-taps.js";
import type { ReadStats } from "../../../postprocess/degenerate-outputs.js";
import type { Size } from "../../../preprocess/letterbox.js";
import { gridPart, type MaskGeometry } from "../process-mask.js";
import { BINDING, GROUP, JOB_WORDS, SHADER } from "./mask-shader.js";

/** `count` prototypes one after another, each of the size of the grid. */
interface GpuPrototypes {
  buffer: GPUBuffer;
  count: number;
  grid: Size;
}

/** A mask to compute: its geometry, and the coefficient of each prototype. */
export interface MaskJob {
  place: MaskGeometry;
  coefficients: Float32Array;
}

/** The maximum number of workgroups in a direction, on any device. */
const MAX_WORKGROUPS = 65_535;

type Stage = "recordStats" | "sumPrototypes" | "thresholdMasks";
type Stages = ComputePipelines<Stage, typeof BINDING>;
type Bound = Partial<Record<keyof typeof BINDING, GPUBuffer>>;

export class MaskAssembler {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects if the GPU rejects them. */
  static async open(device: GPUDevice): Promise<MaskAssembler> {
    return new MaskAssembler(
      await ComputePipelines.open(device, SHADER, BINDING, [
        "recordStats",
        "sumPrototypes",
        "thresholdMasks",
      ]),
    );
  }

  /** Returns the pixels of each mask, row by row, and statistics of the prototypes. */
  assemble(
    { buffer: protos, count, grid }: GpuPrototypes,
    jobs: readonly MaskJob[],
  ): Promise<ReadStats & { pixels: Uint8Array<ArrayBuffer>[] }> {
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const elements = count * grid.width * grid.height;
      const words = Uint32Array.of(grid.width, grid.height, count, elements);
      const sizes = commands.upload(words, GPUBufferUsage.UNIFORM);
      const stats = commands.zeros(2);
      const run = (stage: Stage, bound: Bound, threads: number, deep = 1): void => {
        const groups = Math.min(MAX_WORKGROUPS, Math.ceil(threads / GROUP));
        this.#stages.dispatch(commands, stage, bound, [groups, deep, 1]);
      };
      run("recordStats", { sizes, protos, stats }, elements);
      const packed = packJobs(jobs);
      const bits = commands.zeros(packed.bits);
      if (packed.bits > 0) {
        const sums = commands.zeros(packed.sums);
        const coefficients = commands.upload(packed.coefficients);
        const [jobBuffer, taps] = [commands.upload(packed.jobs), commands.upload(packed.taps)];
        run(
          "sumPrototypes",
          { sizes, protos, jobs: jobBuffer, coefficients, sums },
          packed.widest.sums,
          jobs.length,
        );
        run("thresholdMasks", { jobs: jobBuffer, taps, sums, bits }, packed.widest.bits, jobs.length);
      }
      const [read, flags] = await commands.read(bits, stats);
      const [hasNan, isVaried] = new Uint32Array(flags ?? new ArrayBuffer());
      const pixels = unpackBits(jobs, new Uint32Array(read ?? new ArrayBuffer()));
      return { pixels, hasNan: hasNan !== 0, isFlat: isVaried === 0 };
    });
  }
}

const pixelsOf = ({ place: { x, y } }: MaskJob): number => x.length * y.length;
const wordsOf = (job: MaskJob): number => Math.ceil(pixelsOf(job) / 32);

interface PackedJobs {
  jobs: Uint32Array<ArrayBuffer>;
  taps: Uint32Array<ArrayBuffer>;
  coefficients: Float32Array<ArrayBuffer>;
  /** The number of elements of all masks' sums, and the largest number of one mask. */
  sums: number;
  bits: number;
  widest: { sums: number; bits: number };
}

/** Packs parameters and results of the masks one after another. */
function packJobs(jobs: readonly MaskJob[]): PackedJobs {
  const words = new Uint32Array(jobs.length * JOB_WORDS);
  const ends = { taps: 0, coefficients: 0, sums: 0, bits: 0 };
  const widest = { sums: 0, bits: 0 };
  for (const [index, job] of jobs.entries()) {
    const { x, y } = job.place;
    const { left, top, width, height } = gridPart(x, y);
    const size = [x.length, y.length, left, top, width, height];
    const begins = [ends.taps, ends.taps + x.length, ends.coefficients, ends.sums, ends.bits];
    words.set([...size, ...begins], index * JOB_WORDS);
    ends.taps += x.length + y.length;
    ends.coefficients += job.coefficients.length;
    ends.sums += width * height;
    ends.bits += wordsOf(job);
    widest.sums = Math.max(widest.sums, width * height);
    widest.bits = Math.max(widest.bits, wordsOf(job));
  }
  const taps = packTaps(jobs.flatMap(({ place: { x, y } }) => [...x, ...y]));
  const coefficients = new Float32Array(ends.coefficients);
  let to = 0;
  for (const job of jobs) {
    coefficients.set(job.coefficients, to);
    to += job.coefficients.length;
  }
  return { jobs: words, taps, coefficients, sums: ends.sums, bits: ends.bits, widest };
}

/** Expands each bit to a byte. */
function unpackBits(jobs: readonly MaskJob[], bits: Uint32Array): Uint8Array<ArrayBuffer>[] {
  let begin = 0;
  return jobs.map((job) => {
    const pixels = new Uint8Array(pixelsOf(job));
    for (let at = 0; at < pixels.length; at++) {
      pixels[at] = ((bits[begin + (at >>> 5)] ?? 0) >>> (at & 31)) & 1;
    }
    begin += wordsOf(job);
    return pixels;
  });
}
