// Converts the output of an image-to-image model into pixels on the CPU. gpu/ does the same in float32.

import type { ImageTask } from "../../manifest/manifest.js";
import type { Pixels } from "../../preprocess/canvas-pixels.js";
import { LUMA } from "../../preprocess/channels.js";
import type { Geometry, Size } from "../../preprocess/letterbox.js";
import { enlargingTaps } from "../../preprocess/resample.js";
import { resampledRows } from "../../preprocess/resampled-rows.js";
import { readRows } from "../depth/depth-map.js";

/** The planes of an output, of the size `grid`, over an input. */
interface PicturePlanes {
  values: ArrayLike<number>;
  grid: Size;
  input: Size;
}

type Format = Pick<ImageTask, "layout" | "scale" | "low" | "high" | "order" | "luma">;

/** Returns the place of the source picture, at the scale of the output picture. */
export function enlarged(geometry: Geometry, { scale }: Pick<ImageTask, "scale">): Geometry {
  const { width, height } = geometry.source;
  return { ...geometry, source: { width: width * scale, height: height * scale } };
}

/** Returns the strides between cells and between channels, and the channel of each colour. */
export function strides(
  { layout, order, luma }: Format,
  { width, height }: Size,
): [number, number, number[]] {
  const channels = luma ? [0] : order === "rgb" ? [0, 1, 2] : [2, 1, 0];
  return layout === "nchw" ? [1, width * height, channels] : [channels.length, 1, channels];
}

/**
 * Paints the picture. Pixels outside of the model's input are transparent black. Luma gets the chroma of
 * `source`.
 */
export function paintPicture(
  geometry: Geometry,
  format: Format,
  planes: PicturePlanes,
  source: Pixels | null,
): ImageData {
  const large = enlarged(geometry, format);
  const { width, height } = large.source;
  const picture = new ImageData(width, height);
  const { data } = picture;
  data.fill(255);
  if (format.luma && source !== null) paintLuma(picture, large, format, planes, source);
  else paintChannels(picture, large, format, planes);
  const pixels = new Uint32Array(data.buffer);
  for (let at = 0; at < pixels.length; at++) if (data[at * 4 + 3] === 0) pixels[at] = 0;
  return picture;
}

function paintChannels({ data }: ImageData, large: Geometry, format: Format, planes: PicturePlanes): void {
  const [step, stride, channels] = strides(format, planes.grid);
  for (const [color, channel] of channels.entries()) {
    const values = plane(planes, step, channel * stride);
    let at = color;
    for (const row of readRows(large, { values, grid: planes.grid, input: planes.input })) {
      for (const value of row) {
        if (Number.isNaN(value)) data[at - color + 3] = 0;
        else data[at] = levelOf(format, value);
        at += 4;
      }
    }
  }
}

function paintLuma(
  { data }: ImageData,
  large: Geometry,
  format: Format,
  planes: PicturePlanes,
  source: Pixels,
): void {
  const [columns, rows] = [source.width, source.height].map((size) => enlargingTaps(size, format.scale));
  if (columns === undefined || rows === undefined) return;
  const colors = resampledRows(source, columns, rows);
  const [step] = strides(format, planes.grid);
  let at = 0;
  for (const row of readRows(large, {
    values: plane(planes, step, 0),
    grid: planes.grid,
    input: planes.input,
  })) {
    const { value: line = new Float64Array() } = colors.next();
    for (const [x, value] of row.entries()) {
      if (Number.isNaN(value)) data[at + 3] = 0;
      else data.set(withChroma(255 * shareOf(format, value), line, x * 3), at);
      at += 4;
    }
  }
  colors.return(undefined); // releases its memory
}

/** Returns the levels of a pixel: its luma, 0 to 255, with the chroma of a colour. */
function withChroma(luma: number, colors: Float64Array, at: number): [number, number, number] {
  const [r = 0, g = 0, b = 0] = colors.subarray(at, at + 3);
  const old = LUMA[0] * r + LUMA[1] * g + LUMA[2] * b;
  const red = luma + 1.402 * chroma((r - old) / 1.402);
  const blue = luma + 1.772 * chroma((b - old) / 1.772);
  const green = (luma - LUMA[0] * red - LUMA[2] * blue) / LUMA[1];
  return [level(red), level(green), level(blue)];
}

const chroma = (value: number): number => Math.min(Math.max(value, -128), 127);

const level = (value: number): number => Math.floor(Math.min(Math.max(value, 0), 255) + 0.5);

function levelOf(format: Format, value: number): number {
  return Math.floor(255 * shareOf(format, value) + 0.5);
}

/** Returns the value's position from black (0) to white (1). */
function shareOf({ low, high }: Format, value: number): number {
  return Math.min(Math.max((value - low) / (high - low), 0), 1);
}

/** Returns one plane of the output. */
function plane({ values, grid }: PicturePlanes, step: number, first: number): Float32Array {
  return Float32Array.from(
    { length: grid.width * grid.height },
    (_, cell) => values[first + cell * step] ?? Number.NaN,
  );
}

/** Copies the source's pixels to where the mask is 0. */
export function keepOutside(painted: ImageData, mask: Uint8Array, source: Pixels): void {
  const pixels = new Uint32Array(painted.data.buffer);
  const own = new Uint32Array(source.data.buffer, source.data.byteOffset, pixels.length);
  for (let at = 0; at < pixels.length; at++) if (mask[at] === 0) pixels[at] = own[at] ?? 0;
}
