// Converts a map on the GPU into alpha over the picture, and into the picture with that alpha.

import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import { packTaps } from "../../../gpu/map-taps.js";
import type { MatteTask } from "../../../manifest/manifest.js";
import { type TextureSource, uploadTexture } from "../../../preprocess/gpu/upload-texture.js";
import type { Geometry, Size } from "../../../preprocess/letterbox.js";
import { mapTaps } from "../../depth/depth-map.js";
import type { AlphaLayout } from "../alpha.js";
import { ACTIVATIONS, BINDING, GROUP, GROUP_SIDE, SHADER, STATS_WORDS } from "./matte-shader.js";

/** A map on the GPU, the layout of its channels, and the size of the input it covers. */
interface GpuAlphaMap {
  values: GPUBuffer;
  layout: AlphaLayout;
  input: Size;
}

interface GpuMatte {
  alpha: Uint8Array<ArrayBuffer>;
  /** Its colours are not premultiplied by alpha. */
  cutout: ImageData;
  hasNan: boolean;
}

/** The maximum number of workgroups for cells or pixels: enough to keep a GPU busy. */
const MAX_WORKGROUPS = 1024;
const STAGES = ["activate", "resample", "paint"] as const;
type Stages = ComputePipelines<(typeof STAGES)[number], typeof BINDING>;

export class GpuCutter {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects if the GPU rejects them. */
  static async open(device: GPUDevice): Promise<GpuCutter> {
    return new GpuCutter(await ComputePipelines.open(device, SHADER, BINDING, STAGES));
  }

  /** Cuts the picture out. Rejects with the device's error. */
  cut(task: MatteTask, geometry: Geometry, map: GpuAlphaMap, picture: TextureSource): Promise<GpuMatte> {
    const { width, height } = geometry.source;
    const { device } = this.#stages;
    const largest = device.limits.maxTextureDimension2D;
    if (Math.max(width, height) > largest)
      return Promise.reject(new Error(`a picture of ${width} x ${height} does not fit into a texture`));
    const { TEXTURE_BINDING, COPY_DST, RENDER_ATTACHMENT } = GPUTextureUsage;
    return ComputeCommands.run(device, async (commands) => {
      const texture = commands.texture({
        size: [width, height],
        format: "rgba8unorm",
        usage: TEXTURE_BINDING | COPY_DST | RENDER_ATTACHMENT,
      });
      uploadTexture(device.queue, picture, texture);
      const stats = commands.zeros(STATS_WORDS);
      const levels = this.#begin(commands, task, geometry, map, stats);
      const pixels = commands.zeros(width * height);
      const tiles = [Math.ceil(width / GROUP_SIDE), Math.ceil(height / GROUP_SIDE), 1] as const;
      const painted = { readLevels: levels, picture: texture.createView(), pixels };
      this.#stages.dispatch(commands, "paint", painted, tiles);
      const [colors = new ArrayBuffer(), bytes = new ArrayBuffer(), words = new ArrayBuffer()] =
        await commands.read(pixels, levels, stats);
      const alpha = new Uint8Array(bytes).slice(0, width * height);
      const cutout = new ImageData(new Uint8ClampedArray(colors), width, height);
      return { alpha, cutout, hasNan: new Uint32Array(words)[0] !== 0 };
    });
  }

  /** Queues all steps except the painting, and returns the buffer of the levels. */
  #begin(
    commands: ComputeCommands,
    task: MatteTask,
    geometry: Geometry,
    { values, layout, input }: GpuAlphaMap,
    stats: GPUBuffer,
  ): GPUBuffer {
    const { grid } = layout;
    const { width, height } = geometry.source;
    const sizes = commands.upload(sizesOf(task, layout, geometry.source), GPUBufferUsage.UNIFORM);
    const cells = commands.zeros(grid.width * grid.height);
    const words = Math.ceil((width * height) / 4);
    const levels = commands.zeros(words);
    const taps = mapTaps(geometry, input, grid);
    const [columns, rows] = [commands.upload(packTaps(taps.columns)), commands.upload(packTaps(taps.rows))];
    const activating = { sizes, values, cells, stats };
    this.#stages.dispatch(commands, "activate", activating, groupsOf(grid.width * grid.height));
    const resampling = { sizes, columns, rows, levels, readStats: stats, readCells: cells };
    this.#stages.dispatch(commands, "resample", resampling, groupsOf(words));
    return levels;
  }
}

function groupsOf(threads: number): [number, number, number] {
  return [Math.min(MAX_WORKGROUPS, Math.ceil(threads / GROUP)), 1, 1];
}

function sizesOf(task: MatteTask, layout: AlphaLayout, out: Size): Uint32Array<ArrayBuffer> {
  const { grid, cellStep, channelStep, channels } = layout;
  const activation = ACTIVATIONS.indexOf(task.activation);
  const steps = [cellStep, channelStep, channels, task.channel, activation, Number(task.minMax)];
  const words = Uint32Array.of(grid.width, grid.height, out.width, out.height, ...steps, 0, 0);
  new Float32Array(words.buffer).set([task.low, task.high], 10);
  return words;
}
