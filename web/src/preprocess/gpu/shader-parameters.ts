// The buffers of the preprocessing shader: the uniform parameters, and the taps of columns and rows.

import type { ImageInput } from "../../manifest/manifest.js";
import { channelCount, padColor } from "../channels.js";
import { type Geometry, pictureTaps, planeSize } from "../letterbox.js";
import type { Taps } from "../resample.js";

interface ShaderParameters {
  columns: Uint32Array<ArrayBuffer>;
  rows: Uint32Array<ArrayBuffer>;
  /** The struct Parameters, for the first picture of a stack. */
  uniform: ArrayBuffer;
}

/** The size of the struct, and the offsets of its fields, in bytes. */
export const PARAMETER_BYTES = 112;
export const OFFSET_BYTE = 32;
const LIMITS_BYTE = 48;
const MEAN_PAD_BYTE = 56;
const SCALE_BYTE = 60;

/** Levels are 0 to 255 in the manifest and 0 to 1 on the GPU. */
const LEVELS = 255;
/** The shader's numbers for the orders of channels. */
const COLORS = { rgb: 0, bgr: 1, gray: 2, rgba: 3 } as const;
/** More than any sum: no bound. */
const UNBOUNDED = 1e6;

export function shaderParameters(geometry: Geometry, input: ImageInput): ShaderParameters {
  const plane = planeSize(input);
  const { from, to, columns, rows } = pictureTaps(geometry, input);
  const area = plane.width * plane.height;
  const planar = input.layout === "nchw";
  const bounded = input.letterbox.interpolation === "bicubic";
  const words = [plane.width, plane.height, from.x, from.y, to.x, to.y, columns.count, rows.count];
  const steps = [0, planar ? area : 1, planar ? 1 : channelCount(input), COLORS[input.color]];
  const limits = bounded ? [0, 1] : [-UNBOUNDED, UNBOUNDED];
  const uniform = new ArrayBuffer(PARAMETER_BYTES);
  const pad = padColor(input.letterbox);
  const levels = (pad ?? []).map((level) => level / LEVELS);
  new Uint32Array(uniform).set([...words, ...steps]);
  new Float32Array(uniform, LIMITS_BYTE).set(limits);
  new Uint32Array(uniform, MEAN_PAD_BYTE).set([Number(pad === null)]);
  const numbers = [input.scale * LEVELS, ...four(input.mean, 0), ...four(input.std, 1), ...four(levels, 0)];
  new Float32Array(uniform, SCALE_BYTE).set(numbers);
  return { columns: packTaps(columns), rows: packTaps(rows), uniform };
}

function four(values: readonly number[], otherwise: number): number[] {
  return [0, 1, 2, 3].map((channel) => values[channel] ?? otherwise);
}

/** Packs the struct Tap: an index and a float32 weight. At least one, because a buffer cannot be empty. */
function packTaps({ at, weights }: Taps): Uint32Array<ArrayBuffer> {
  const both = new Uint32Array(Math.max(1, at.length) * 2);
  const floats = new Float32Array(both.buffer);
  for (const [index, place] of at.entries()) {
    both[index * 2] = place;
    floats[index * 2 + 1] = weights[index] ?? 0;
  }
  return both;
}
