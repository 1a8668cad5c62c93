// A picture of any size into the fixed size of an image input. Not a general resizer: what the manifest says, exactly.

import type { ImageInput } from "./manifest.js";
import type { Pixels } from "./pixels.js";
import { roundHalfEven } from "./rounding.js";

/** Where the resized picture lies in the input, and how large it was. All in pixels. */
export interface Geometry {
  source: { width: number; height: number };
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Returns the width and height of the input's plane. */
export function planeSize(input: ImageInput): { width: number; height: number } {
  const [, second = 0, third = 0, fourth = 0] = input.shape;
  return input.layout === "nchw" ? { height: third, width: fourth } : { height: second, width: third };
}

export function placePicture(source: { width: number; height: number }, input: ImageInput): Geometry {
  const plane = planeSize(input);
  const { width: w, height: h } = source;
  if (input.letterbox.mode === "stretch") return { source, left: 0, top: 0, ...plane };
  const gain = Math.min(plane.height / h, plane.width / w);
  const width = Math.max(1, roundHalfEven(w * gain));
  const height = Math.max(1, roundHalfEven(h * gain));
  const left = roundHalfEven((plane.width - width) / 2 - 0.1);
  const top = roundHalfEven((plane.height - height) / 2 - 0.1);
  return { source, left, top, width, height };
}

/** Returns the input's elements, in the order of its shape. */
export function letterbox(pixels: Pixels, input: ImageInput, geometry: Geometry): Float32Array<ArrayBuffer> {
  const plane = planeSize(input);
  const tensor = paddedTensor(input, plane.width * plane.height);
  const columns = samples(geometry.width, pixels.width);
  const rows = samples(geometry.height, pixels.height);
  for (const [channel, source] of channelOrder(input).entries()) {
    const normal = normalizer(input, channel);
    const step = input.layout === "nchw" ? 1 : 3;
    const origin = input.layout === "nchw" ? channel * plane.width * plane.height : channel;
    const sample = sampler(pixels, source);
    for (const [y, row] of rows.entries()) {
      let at = origin + ((geometry.top + y) * plane.width + geometry.left) * step;
      for (const column of columns) {
        tensor[at] = normal(sample(column, row));
        at += step;
      }
    }
  }
  return tensor;
}

/** The two source positions an output position lies between, and how far it is from the first to the second. */
interface Sample {
  first: number;
  second: number;
  fraction: number;
}

/** Half-pixel centres, clamped at the edges. */
function samples(size: number, sourceSize: number): Sample[] {
  return Array.from({ length: size }, (_, index) => {
    const centre = ((index + 0.5) * sourceSize) / size - 0.5;
    const position = Math.min(Math.max(centre, 0), sourceSize - 1);
    const first = Math.floor(position);
    return { first, second: Math.min(first + 1, sourceSize - 1), fraction: position - first };
  });
}

/** Bilinear in float64, not rounded to integers. */
function sampler({ width, data }: Pixels, channel: number): (column: Sample, row: Sample) => number {
  const at = (x: number, y: number): number => overWhite(data, (y * width + x) * 4, channel);
  return (column, row) => {
    const { first: x0, second: x1, fraction: fx } = column;
    const { first: y0, second: y1, fraction: fy } = row;
    const upper = (1 - fx) * at(x0, y0) + fx * at(x1, y0);
    const lower = (1 - fx) * at(x0, y1) + fx * at(x1, y1);
    return (1 - fy) * upper + fy * lower;
  };
}

function overWhite(data: Uint8ClampedArray, pixel: number, channel: number): number {
  const value = data[pixel + channel] ?? 0;
  const alpha = data[pixel + 3] ?? 0;
  return alpha === 255 ? value : (value * alpha) / 255 + 255 * (1 - alpha / 255);
}

function channelOrder(input: ImageInput): number[] {
  return input.color === "rgb" ? [0, 1, 2] : [2, 1, 0];
}

function normalizer({ scale, mean, std }: ImageInput, channel: number): (value: number) => number {
  const offset = mean[channel] ?? 0;
  const divisor = std[channel] ?? 1;
  return (value) => (value * scale - offset) / divisor;
}

function paddedTensor(input: ImageInput, area: number): Float32Array<ArrayBuffer> {
  const pad = channelOrder(input).map((_, channel) => normalizer(input, channel)(input.letterbox.pad));
  const tensor = new Float32Array(area * 3);
  for (let at = 0; at < tensor.length; at++) {
    tensor[at] = pad[input.layout === "nchw" ? Math.floor(at / area) : at % 3] ?? 0;
  }
  return tensor;
}
