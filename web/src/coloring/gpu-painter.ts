// A depth map that lies on the GPU into its colours: they, and what is told of the map, are all that is read back.

import { GpuStages } from "../gpu-stages.js";
import { GpuWork, packedTaps } from "../gpu-work.js";
import type { Geometry } from "../letterbox.js";
import type { DepthTask } from "../manifest.js";
import { type Extent, mapTaps } from "../tasks/depth.js";
import { scaleOf } from "../tasks/depth-answer.js";
import { LARGEST, shrunk } from "./paint.js";
import { BINDING, GROUP, SHADER, SIDE, TOLD } from "./shader.js";

type Size = Geometry["source"];
type Stages = GpuStages<"measured" | "painted", typeof BINDING>;

/** Maps over the whole input, of one size. `confidence` is null where nothing fades. */
export interface GpuMaps {
  depth: GPUBuffer;
  confidence: GPUBuffer | null;
  grid: Size;
  input: Size;
}

/** A map in colours, and what is told of it: over the picture's pixels, and whether there is a NaN in a map. */
export interface Painted extends Extent {
  picture: ImageData;
  hasNan: { depth: boolean; confidence: boolean };
}

/** Workgroups that measure: enough to keep a GPU busy, few enough that they seldom wait for one another. */
const MOST = 256;

export class GpuPainter {
  readonly #stages: Stages;

  private constructor(stages: Stages) {
    this.#stages = stages;
  }

  /** Compiles the shaders. Rejects where the GPU cannot have them. */
  static async open(device: GPUDevice): Promise<GpuPainter> {
    return new GpuPainter(await GpuStages.open(device, SHADER, BINDING, ["measured", "painted"]));
  }

  /** Rejects with what the device has against it. */
  paint(
    task: Pick<DepthTask, "near" | "far" | "quantity">,
    geometry: Geometry,
    maps: GpuMaps,
  ): Promise<Painted> {
    return GpuWork.hold(this.#stages.device, async (work) => {
      const told = work.empty(TOLD);
      const { depth, confidence } = maps;
      const read = { depth, confidence: confidence ?? depth };
      const whole = bound(work, task, geometry, maps);
      const { width, height } = geometry.source;
      const groups = Math.min(MOST, Math.ceil((width * height) / GROUP));
      this.#stages.dispatch(work, "measured", { ...whole, ...read, told }, [groups, 1, 1]);
      const small = shrunk(geometry);
      const { source } = small;
      const pixels = work.empty(source.width * source.height);
      const seen = Math.max(width, height) > LARGEST ? bound(work, task, small, maps) : whole;
      const tiles = [Math.ceil(source.width / SIDE), Math.ceil(source.height / SIDE), 1] as const;
      this.#stages.dispatch(work, "painted", { ...seen, ...read, pixels, found: told }, tiles);
      const [colors = new ArrayBuffer(), words] = await work.read(pixels, told);
      const picture = new ImageData(new Uint8ClampedArray(colors), source.width, source.height);
      return { picture, ...unpacked(new Uint32Array(words ?? new ArrayBuffer(TOLD * 4))) };
    });
  }
}

function bound(
  work: GpuWork,
  task: Pick<DepthTask, "near" | "far" | "quantity">,
  geometry: Geometry,
  { grid, input, confidence }: GpuMaps,
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
    sizes: work.filled(words, GPUBufferUsage.UNIFORM),
    columns: work.filled(packedTaps(columns)),
    rows: work.filled(packedTaps(rows)),
  };
}

function unpacked([nan = 0, unsure = 0, least = 0, most = 0]: Uint32Array): Omit<Painted, "picture"> {
  const hasNan = { depth: nan !== 0, confidence: unsure !== 0 };
  if (most === 0) return { hasNan, min: Number.NaN, max: Number.NaN };
  return { hasNan, min: floatOf(~least >>> 0), max: floatOf(most) };
}

/** The float that has a key, see the shader. */
function floatOf(key: number): number {
  const bits = Uint32Array.of(key >>> 31 === 1 ? key & 0x7fffffff : ~key);
  return new Float32Array(bits.buffer)[0] ?? Number.NaN;
}
