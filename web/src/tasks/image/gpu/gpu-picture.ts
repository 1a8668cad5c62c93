// Converts an output picture on the GPU from planes of numbers into pixels. Only the pixels are read back.

import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import { packTaps } from "../../../gpu/map-taps.js";
import type { ImageTask } from "../../../manifest/manifest.js";
import type { Pixels } from "../../../preprocess/canvas-pixels.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import { enlargingPhases } from "../../../preprocess/resample.js";
import { mapTaps } from "../../depth/depth-map.js";
import { enlarged, strides } from "../picture-pixels.js";
import { BINDING, GROUP_SIDE, SHADER, STATS_WORDS } from "./picture-shader.js";

/** The planes of an output on the GPU, of the size `grid`, over an input. */
interface GpuPicturePlanes {
  values: GPUBuffer;
  grid: Size;
  input: Size;
}

/** The pixels, and statistics of the output. */
interface PaintedPicture {
  picture: ImageData;
  hasNan: boolean;
  isOneColor: boolean;
}

export class GpuPicture {
  readonly #stages: ComputePipelines<"paint", typeof BINDING>;

  private constructor(stages: ComputePipelines<"paint", typeof BINDING>) {
    this.#stages = stages;
  }

  /** Compiles the shader. Rejects if the GPU rejects it. */
  static async open(device: GPUDevice): Promise<GpuPicture> {
    return new GpuPicture(await ComputePipelines.open(device, SHADER, BINDING, ["paint"]));
  }

  /** Paints the picture. Rejects with the device's error. */
  paint(
    task: ImageTask,
    geometry: Geometry,
    planes: GpuPicturePlanes,
    source: Pixels | null,
  ): Promise<PaintedPicture> {
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const large = enlarged(geometry, task);
      const { width, height } = large.source;
      const { columns, rows } = mapTaps(large, planes.input, planes.grid);
      const pixels = commands.zeros(width * height);
      const stats = commands.zeros(STATS_WORDS);
      const buffers = {
        sizes: commands.upload(sizesOf(task, planes.grid, geometry.source), GPUBufferUsage.UNIFORM),
        values: planes.values,
        columns: commands.upload(packTaps(columns)),
        rows: commands.upload(packTaps(rows)),
        colors: commands.upload(source === null ? new Uint32Array(1) : wordsOf(source)),
        phases: commands.upload(packPhases(task.scale)),
        pixels,
        stats,
      };
      const groups = [Math.ceil(width / GROUP_SIDE), Math.ceil(height / GROUP_SIDE), 1] as const;
      this.#stages.dispatch(commands, "paint", buffers, groups);
      const [colors = new ArrayBuffer(), words = new ArrayBuffer()] = await commands.read(pixels, stats);
      const [nan = 0, least = 0, most = 0] = new Uint32Array(words);
      const picture = new ImageData(new Uint8ClampedArray(colors), width, height);
      return { picture, hasNan: nan !== 0, isOneColor: ~least >>> 0 === most || most === 0 };
    });
  }
}

function sizesOf(task: ImageTask, grid: Size, source: Size): Uint32Array<ArrayBuffer> {
  const [step, stride, [first = 0]] = strides(task, grid);
  const { scale, low, high, luma } = task;
  const sides = [grid.width, grid.height, source.width, source.height];
  const words = Uint32Array.of(...sides, step, stride, first, scale, Number(luma), 0, 0, 0);
  new Float32Array(words.buffer).set([low, high], 9);
  return words;
}

function wordsOf({ data }: Pixels): Uint32Array<ArrayBuffer> {
  return new Uint32Array(Uint8Array.from(data).buffer);
}

/** Packs the first tap and the four weights of each remainder, 32 bytes each. */
function packPhases(scale: number): Uint32Array<ArrayBuffer> {
  const { count, at, weights } = enlargingPhases(scale);
  const words = new Uint32Array(scale * 8);
  for (let phase = 0; phase < scale; phase++) {
    new Float32Array(words.buffer, phase * 32, count).set(
      weights.subarray(phase * count, (phase + 1) * count),
    );
    new Int32Array(words.buffer, phase * 32 + 16, 1).set(at.subarray(phase * count, phase * count + 1));
  }
  return words;
}
