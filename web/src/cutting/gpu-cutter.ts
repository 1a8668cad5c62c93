// Masks cut out of prototypes that lie on the GPU: a bit for each of their pixels is all that is read back.

import type { Told } from "../contest/gpu-contest.js";
import { GpuStages } from "../gpu-stages.js";
import { GpuWork, packedTaps } from "../gpu-work.js";
import { type Place, partOf } from "../tasks/mask.js";
import type { Size } from "../tasks/mask-maps.js";
import { BINDING, GROUP, JOB_WORDS, SHADER } from "./shader.js";

/** So many prototypes behind one another, each of the size of the grid. */
export interface GpuPrototypes {
  buffer: GPUBuffer;
  count: number;
  grid: Size;
}

/** A mask to cut: where it lies, and what each prototype weighs in it. */
export interface Job {
  place: Place;
  coefficients: Float32Array;
}

/** Most workgroups in one direction, on any device. */
const MOST = 65_535;

type Stage = "watched" | "summed" | "covered";
type Stages = GpuStages<Stage, typeof BINDING>;
type Bound = Partial<Record<keyof typeof BINDING, GPUBuffer>>;

export class GpuCutter {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects where the GPU cannot have them. */
  static async open(device: GPUDevice): Promise<GpuCutter> {
    return new GpuCutter(await GpuStages.open(device, SHADER, BINDING, ["watched", "summed", "covered"]));
  }

  /** Returns the pixels of each mask, row by row, and what the prototypes are like. */
  cut(
    { buffer: protos, count, grid }: GpuPrototypes,
    jobs: readonly Job[],
  ): Promise<Told & { pixels: Uint8Array<ArrayBuffer>[] }> {
    return GpuWork.hold(this.#stages.device, async (work) => {
      const elements = count * grid.width * grid.height;
      const words = Uint32Array.of(grid.width, grid.height, count, elements);
      const sizes = work.filled(words, GPUBufferUsage.UNIFORM);
      const told = work.empty(2);
      const run = (stage: Stage, bound: Bound, threads: number, deep = 1): void => {
        const groups = Math.min(MOST, Math.ceil(threads / GROUP));
        this.#stages.dispatch(work, stage, bound, [groups, deep, 1]);
      };
      run("watched", { sizes, protos, told }, elements);
      const laid = layOut(jobs);
      const bits = work.empty(laid.bits);
      if (laid.bits > 0) {
        const sums = work.empty(laid.sums);
        const coefficients = work.filled(laid.coefficients);
        const [described, taps] = [work.filled(laid.jobs), work.filled(laid.taps)];
        run("summed", { sizes, protos, jobs: described, coefficients, sums }, laid.widest.sums, jobs.length);
        run("covered", { jobs: described, taps, sums, bits }, laid.widest.bits, jobs.length);
      }
      const [read, said] = await work.read(bits, told);
      const [hasNan, isVaried] = new Uint32Array(said ?? new ArrayBuffer());
      const pixels = unpacked(jobs, new Uint32Array(read ?? new ArrayBuffer()));
      return { pixels, hasNan: hasNan !== 0, isFlat: isVaried === 0 };
    });
  }
}

const pixelsOf = ({ place: { x, y } }: Job): number => x.length * y.length;
const wordsOf = (job: Job): number => Math.ceil(pixelsOf(job) / 32);

interface LaidOut {
  jobs: Uint32Array<ArrayBuffer>;
  taps: Uint32Array<ArrayBuffer>;
  coefficients: Float32Array<ArrayBuffer>;
  /** Elements of all of them, and the most of one. */
  sums: number;
  bits: number;
  widest: { sums: number; bits: number };
}

/** What the masks are told and what they make, each behind that of the one before it. */
function layOut(jobs: readonly Job[]): LaidOut {
  const words = new Uint32Array(jobs.length * JOB_WORDS);
  const ends = { taps: 0, coefficients: 0, sums: 0, bits: 0 };
  const widest = { sums: 0, bits: 0 };
  for (const [index, job] of jobs.entries()) {
    const { x, y } = job.place;
    const { left, top, width, height } = partOf(x, y);
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
  const taps = packedTaps(jobs.flatMap(({ place: { x, y } }) => [...x, ...y]));
  const coefficients = new Float32Array(ends.coefficients);
  let to = 0;
  for (const job of jobs) {
    coefficients.set(job.coefficients, to);
    to += job.coefficients.length;
  }
  return { jobs: words, taps, coefficients, sums: ends.sums, bits: ends.bits, widest };
}

/** A byte for each bit. */
function unpacked(jobs: readonly Job[], bits: Uint32Array): Uint8Array<ArrayBuffer>[] {
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
