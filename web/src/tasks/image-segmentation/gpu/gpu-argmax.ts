// Finds the best mask at each pixel of a picture on the GPU. Only the result is read back.

import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import { packTaps } from "../../../gpu/map-taps.js";
import type { ReadStats } from "../../../postprocess/degenerate-outputs.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import { mapTaps } from "../../depth/depth-map.js";
import type { ArgmaxResult } from "../argmax.js";
import type { WeightedMap } from "../decode-regions.js";
import { LabelRuns } from "../label-runs.js";
import { BINDING, GROUP, labelsPerWord, SHADER } from "./segmentation-shader.js";

/** Maps of one size, one after another, over the whole input. */
export interface GpuMaps {
  buffer: GPUBuffer;
  cells: Size;
  input: Size;
  /** Whether they are the model's outputs. */
  raw: boolean;
}

interface Counts {
  count: number;
  queries?: number;
  threshold?: number;
  raw?: number;
}

type Stage = "argmax" | "sigmoidMaps" | "classMaps";
type Stages = ComputePipelines<Stage, typeof BINDING>;
type Bound = Partial<Record<keyof typeof BINDING, GPUBuffer>>;

export class GpuArgmax {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects if the GPU rejects them. */
  static async open(device: GPUDevice): Promise<GpuArgmax> {
    return new GpuArgmax(
      await ComputePipelines.open(device, SHADER, BINDING, ["argmax", "sigmoidMaps", "classMaps"]),
    );
  }

  /** Does a pass, and releases everything it allocated. Rejects with the device's error. */
  run<T>(begin: (pass: ArgmaxPass) => Promise<T>): Promise<T> {
    return ComputeCommands.run(this.#stages.device, (commands) =>
      begin(new ArgmaxPass(commands, this.#stages)),
    );
  }
}

/** The dispatches of one picture. */
class ArgmaxPass {
  readonly #commands: ComputeCommands;
  readonly #stages: Stages;
  readonly #stats: GPUBuffer;

  constructor(commands: ComputeCommands, stages: Stages) {
    this.#commands = commands;
    this.#stages = stages;
    this.#stats = commands.zeros(2);
  }

  /** Returns the probabilities of some maps, in the cells of `grid` if it is given. */
  sigmoidMaps(
    { buffer, cells, input }: GpuMaps,
    numbers: readonly number[],
    grid: readonly number[],
  ): GpuMaps {
    const [height = cells.height, width = cells.width] = grid;
    const whole = { source: { width, height }, left: 0, top: 0, ...input };
    const output = this.#commands.zeros(numbers.length * width * height);
    const candidates = this.#weightedMaps(numbers.map((map) => ({ map, weight: 1 })));
    const sizes = this.#sizes(cells, { width, height }, { count: numbers.length, raw: 1 });
    const taps = this.#taps(whole, input, cells);
    const buffers = { sizes, maps: buffer, ...taps, candidates, output, stats: this.#stats };
    this.#dispatch("sigmoidMaps", buffers, { width, height }, numbers.length);
    return { buffer: output, cells: { width, height }, input, raw: false };
  }

  /**
   * Returns for each of `classes` columns of `shares` the sum of the maps, each weighted by its row's share.
   */
  classMaps({ buffer, cells, input }: GpuMaps, shares: readonly Float32Array[], classes: number): GpuMaps {
    const output = this.#commands.zeros(classes * cells.width * cells.height);
    const sizes = this.#sizes(cells, cells, { count: classes, queries: shares.length });
    const flat = Float32Array.from(shares.flatMap((row) => [...row.subarray(0, classes)]));
    this.#dispatch(
      "classMaps",
      { sizes, maps: buffer, shares: this.#commands.upload(flat), output },
      cells,
      classes,
    );
    return { buffer: output, cells, input, raw: false };
  }

  /** Returns the best map of each pixel, and each map's number of pixels that reach the threshold. */
  async argmax(
    { buffer, cells, input, raw }: GpuMaps,
    candidates: readonly WeightedMap[],
    geometry: Geometry,
    threshold: number,
  ): Promise<ArgmaxResult & ReadStats> {
    const { source } = geometry;
    const words = Math.ceil(source.width / labelsPerWord(candidates.length));
    const labels = this.#commands.zeros(words * source.height);
    const counts = this.#commands.zeros(candidates.length);
    const sizes = this.#sizes(cells, source, { count: candidates.length, threshold, raw: raw ? 1 : 0 });
    const taps = this.#taps(geometry, input, cells);
    const buffers = { sizes, maps: buffer, ...taps, labels, counts, stats: this.#stats };
    this.#dispatch(
      "argmax",
      { ...buffers, candidates: this.#weightedMaps(candidates) },
      { ...source, width: words },
      1,
    );
    const read = await this.#commands.read(labels, counts, this.#stats);
    const [labelWords, pixelCounts, stats] = read.map((each) => new Int32Array(each)) as [
      Int32Array<ArrayBuffer>,
      Int32Array,
      Int32Array,
    ];
    const perRow = words * labelsPerWord(candidates.length);
    const all = perRow === words ? labelWords : new Uint8Array(labelWords.buffer);
    return {
      runs: LabelRuns.of(all, source.width, perRow),
      pixelCounts: [...pixelCounts],
      hasNan: stats[0] !== 0,
      isFlat: stats[1] === 0,
    };
  }

  #dispatch(stage: Stage, buffers: Bound, { width, height }: Size, depth: number): void {
    const groups = [Math.ceil(width / GROUP), Math.ceil(height / GROUP), depth] as const;
    this.#stages.dispatch(this.#commands, stage, buffers, groups);
  }

  #sizes(cells: Size, out: Size, { count, queries = 0, threshold = 0, raw = 0 }: Counts): GPUBuffer {
    const words = Uint32Array.of(cells.width, cells.height, out.width, out.height, count, queries, 0, raw);
    new Float32Array(words.buffer)[6] = threshold;
    return this.#commands.upload(words, GPUBufferUsage.UNIFORM);
  }

  #weightedMaps(all: readonly WeightedMap[]): GPUBuffer {
    const words = new Uint32Array(Math.max(1, all.length) * 2);
    const floats = new Float32Array(words.buffer);
    for (const [index, { map, weight }] of all.entries()) {
      words[index * 2] = map;
      floats[index * 2 + 1] = weight;
    }
    return this.#commands.upload(words);
  }

  #taps(geometry: Geometry, input: Size, cells: Size): { columns: GPUBuffer; rows: GPUBuffer } {
    const { columns, rows } = mapTaps(geometry, input, cells);
    return { columns: this.#commands.upload(packTaps(columns)), rows: this.#commands.upload(packTaps(rows)) };
  }
}
