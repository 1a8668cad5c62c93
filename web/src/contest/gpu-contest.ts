// Masks that lie on the GPU into the likeliest at every pixel of a picture: nothing but that is read back.

import { GpuStages } from "../gpu-stages.js";
import { GpuWork, packedTaps } from "../gpu-work.js";
import type { Geometry } from "../letterbox.js";
import { mapTaps } from "../tasks/depth.js";
import type { Size } from "../tasks/mask-maps.js";
import type { Contestant, Decided } from "../tasks/panoptic.js";
import { BINDING, GROUP, SHADER } from "./shader.js";

/** Maps of one size, behind one another, over the whole input. */
export interface Maps {
  buffer: GPUBuffer;
  cells: Size;
  input: Size;
  /** Whether they are the model's own. */
  raw: boolean;
}

/** What the model's own maps are like where they were read. */
export interface Told {
  hasNan: boolean;
  isFlat: boolean;
}

interface Counts {
  count: number;
  queries?: number;
  threshold?: number;
  raw?: number;
}

type Stage = "decide" | "likely" | "summed";
type Stages = GpuStages<Stage, typeof BINDING>;
type Bound = Partial<Record<keyof typeof BINDING, GPUBuffer>>;

export class GpuContest {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects where the GPU cannot have them. */
  static async open(device: GPUDevice): Promise<GpuContest> {
    return new GpuContest(await GpuStages.open(device, SHADER, BINDING, ["decide", "likely", "summed"]));
  }

  /** Does a round, and gives back everything it made. Rejects with what the device has against it. */
  hold<T>(begin: (round: Round) => Promise<T>): Promise<T> {
    return GpuWork.hold(this.#stages.device, (work) => begin(new Round(work, this.#stages)));
  }
}

/** The dispatches of one picture. */
export class Round {
  readonly #work: GpuWork;
  readonly #stages: Stages;
  readonly #told: GPUBuffer;

  constructor(work: GpuWork, stages: Stages) {
    this.#work = work;
    this.#stages = stages;
    this.#told = work.empty(2);
  }

  /** The probabilities of some maps, in the cells of `grid` where it has any. */
  likely({ buffer, cells, input }: Maps, numbers: readonly number[], grid: readonly number[]): Maps {
    const [height = cells.height, width = cells.width] = grid;
    const whole = { source: { width, height }, left: 0, top: 0, ...input };
    const made = this.#work.empty(numbers.length * width * height);
    const contestants = this.#contestants(numbers.map((map) => ({ map, weight: 1 })));
    const sizes = this.#sizes(cells, { width, height }, { count: numbers.length, raw: 1 });
    const taps = this.#taps(whole, input, cells);
    const bound = { sizes, maps: buffer, ...taps, contestants, made, told: this.#told };
    this.#dispatch("likely", bound, { width, height }, numbers.length);
    return { buffer: made, cells: { width, height }, input, raw: false };
  }

  /** For each of `classes` columns of `shares` the sum of the maps, each weighed by its row's. */
  summed({ buffer, cells, input }: Maps, shares: readonly Float32Array[], classes: number): Maps {
    const made = this.#work.empty(classes * cells.width * cells.height);
    const sizes = this.#sizes(cells, cells, { count: classes, queries: shares.length });
    const flat = Float32Array.from(shares.flatMap((row) => [...row.subarray(0, classes)]));
    this.#dispatch("summed", { sizes, maps: buffer, shares: this.#work.filled(flat), made }, cells, classes);
    return { buffer: made, cells, input, raw: false };
  }

  /** Who is likeliest at each pixel of the picture, and how many of its pixels each has that reach the threshold. */
  async decide(
    { buffer, cells, input, raw }: Maps,
    contestants: readonly Contestant[],
    geometry: Geometry,
    threshold: number,
  ): Promise<Decided & Told> {
    const { source } = geometry;
    const winners = this.#work.empty(source.width * source.height);
    const counts = this.#work.empty(contestants.length);
    const sizes = this.#sizes(cells, source, { count: contestants.length, threshold, raw: raw ? 1 : 0 });
    const taps = this.#taps(geometry, input, cells);
    const bound = { sizes, maps: buffer, ...taps, winners, counts, told: this.#told };
    this.#dispatch("decide", { ...bound, contestants: this.#contestants(contestants) }, source, 1);
    const read = await this.#work.read(winners, counts, this.#told);
    const [winner = new Int32Array(), above = new Int32Array(), told = new Int32Array()] = read.map(
      (each) => new Int32Array(each),
    );
    return { winner, above: [...above], hasNan: told[0] !== 0, isFlat: told[1] === 0 };
  }

  #dispatch(stage: Stage, bound: Bound, { width, height }: Size, depth: number): void {
    const groups = [Math.ceil(width / GROUP), Math.ceil(height / GROUP), depth] as const;
    this.#stages.dispatch(this.#work, stage, bound, groups);
  }

  #sizes(cells: Size, out: Size, { count, queries = 0, threshold = 0, raw = 0 }: Counts): GPUBuffer {
    const words = Uint32Array.of(cells.width, cells.height, out.width, out.height, count, queries, 0, raw);
    new Float32Array(words.buffer)[6] = threshold;
    return this.#work.filled(words, GPUBufferUsage.UNIFORM);
  }

  #contestants(all: readonly Contestant[]): GPUBuffer {
    const words = new Uint32Array(Math.max(1, all.length) * 2);
    const floats = new Float32Array(words.buffer);
    for (const [index, { map, weight }] of all.entries()) {
      words[index * 2] = map;
      floats[index * 2 + 1] = weight;
    }
    return this.#work.filled(words);
  }

  #taps(geometry: Geometry, input: Size, cells: Size): { columns: GPUBuffer; rows: GPUBuffer } {
    const { columns, rows } = mapTaps(geometry, input, cells);
    return { columns: this.#work.filled(packedTaps(columns)), rows: this.#work.filled(packedTaps(rows)) };
  }
}
