// Colours a depth map on the GPU. Only the colours and the map's statistics are read back.

import { ComputeCommands } from "../../../gpu/compute-commands.js";
import { ComputePipelines } from "../../../gpu/compute-pipelines.js";
import { packTaps } from "../../../gpu/map-taps.js";
import type { DepthTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { type Extent, mapTaps } from "../depth-map.js";
import { scaleOf } from "../depth-result.js";
import { BINDING, GROUP, GROUP_SIDE, SHADER, STATS_WORDS } from "./colormap-shader.js";
import { colormapGeometry, MAX_SIDE } from "./cpu-colormap.js";

type Size = Geometry["source"];
type Stages = ComputePipelines<"measureRange" | "applyColormap", typeof BINDING>;

/** Maps over the whole input, of one size. `confidence` is null without `confidenceAlpha`. */
interface GpuDepthMaps {
  depth: GPUBuffer;
  confidence: GPUBuffer | null;
  grid: Size;
  input: Size;
}

/** A coloured map and its statistics: minimum and maximum over the picture, and whether a map has a NaN. */
interface ColoredMap extends Extent {
  picture: ImageData;
  hasNan: { depth: boolean; confidence: boolean };
}

/**
 * The number of workgroups for the statistics: enough to keep a GPU busy, and few enough that they seldom
 * wait for each other.
 */
const MAX_WORKGROUPS = 256;

export class GpuColormap {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects if the GPU rejects them. */
  static async open(device: GPUDevice): Promise<GpuColormap> {
    return new GpuColormap(
      await ComputePipelines.open(device, SHADER, BINDING, ["measureRange", "applyColormap"]),
    );
  }

  /** Colours the maps. Rejects with the device's error. */
  apply(
    task: Pick<DepthTask, "near" | "far" | "quantity">,
    geometry: Geometry,
    maps: GpuDepthMaps,
  ): Promise<ColoredMap> {
    return ComputeCommands.run(this.#stages.device, async (commands) => {
      const stats = commands.zeros(STATS_WORDS);
      const { depth, confidence } = maps;
      const read = { depth, confidence: confidence ?? depth };
      const whole = mapBuffers(commands, task, geometry, maps);
      const { width, height } = geometry.source;
      const groups = Math.min(MAX_WORKGROUPS, Math.ceil((width * height) / GROUP));
      this.#stages.dispatch(commands, "measureRange", { ...whole, ...read, stats }, [groups, 1, 1]);
      const small = colormapGeometry(geometry);
      const { source } = small;
      const pixels = commands.zeros(source.width * source.height);
      const seen = Math.max(width, height) > MAX_SIDE ? mapBuffers(commands, task, small, maps) : whole;
      const tiles = [Math.ceil(source.width / GROUP_SIDE), Math.ceil(source.height / GROUP_SIDE), 1] as const;
      this.#stages.dispatch(commands, "applyColormap", { ...seen, ...read, pixels, readStats: stats }, tiles);
      const [colors = new ArrayBuffer(), words] = await commands.read(pixels, stats);
      const picture = new ImageData(new Uint8ClampedArray(colors), source.width, source.height);
      return { picture, ...unpackStats(new Uint32Array(words ?? new ArrayBuffer(STATS_WORDS * 4))) };
    });
  }
}

function mapBuffers(
  commands: ComputeCommands,
  task: Pick<DepthTask, "near" | "far" | "quantity">,
  geometry: Geometry,
  { grid, input, confidence }: GpuDepthMaps,
): Record<"sizes" | "columns" | "rows", GPUBuffer> {
  const { width, height } = geometry.source;
  const { near, far } = scaleOf(task, { min: Number.NaN, max: Number.NaN });
  const flags = [near < far || far < near, task.quantity === "inverse-depth", confidence !== null].map(
    Number,
  );
  const words = Uint32Array.of(grid.width, grid.height, width, height, 0, 0, ...flags, 0, 0, 0);
  new Float32Array(words.buffer).set(flags[0] === 1 ? [near, far] : [0, 0], 4);
  const { columns, rows } = mapTaps(geometry, input, grid);
  return {
    sizes: commands.upload(words, GPUBufferUsage.UNIFORM),
    columns: commands.upload(packTaps(columns)),
    rows: commands.upload(packTaps(rows)),
  };
}

function unpackStats([nan = 0, unsure = 0, least = 0, most = 0]: Uint32Array): Omit<ColoredMap, "picture"> {
  const hasNan = { depth: nan !== 0, confidence: unsure !== 0 };
  if (most === 0) return { hasNan, min: Number.NaN, max: Number.NaN };
  return { hasNan, min: floatOf(~least >>> 0), max: floatOf(most) };
}

/** Returns the float of a key, see the shader. */
function floatOf(key: number): number {
  const bits = Uint32Array.of(key >>> 31 === 1 ? key & 0x7fffffff : ~key);
  return new Float32Array(bits.buffer)[0] ?? Number.NaN;
}
