// Letterbox: places a picture of any size in an image input of fixed size, resamples and normalizes it, as
// the manifest specifies.

import type { CropInput, ImageInput } from "../manifest/manifest.js";
import type { Pixels } from "./canvas-pixels.js";
import { ALPHA, channelCount, channelOrder, LUMA, normalizer, orderedLevel, padColor } from "./channels.js";
import type { Crop } from "./crop/place-crop.js";
import { type Taps, taps } from "./resample.js";
import { resampledRows } from "./resampled-rows.js";
import { roundHalfEven, roundHalfUp } from "./rounding.js";

export interface Size {
  width: number;
  height: number;
}

/**
 * The position and size of the resized picture in the input, in pixels, and its original size. Parts outside
 * are cut off.
 */
export interface Geometry {
  source: Size;
  left: number;
  top: number;
  width: number;
  height: number;
  /** For an input of crops: the place of each in the picture. */
  crops?: readonly Crop[];
}

/** Returns the width and height of the input's plane. */
export function planeSize(input: Pick<ImageInput | CropInput, "shape" | "layout">): Size {
  const [height = 0, width = 0] = input.layout === "nchw" ? input.shape.slice(2) : input.shape.slice(-3);
  return { height, width };
}

export function placePicture(source: Size, input: ImageInput): Geometry {
  const plane = planeSize(input);
  const { mode, anchor, edge } = input.letterbox;
  if (mode === "stretch") return { source, left: 0, top: 0, ...plane };
  if (mode === "line")
    return { source, left: 0, top: 0, width: lineWidth(source, plane), height: plane.height };
  const placed = mode === "crop" ? covered(source, plane, edge) : contained(source, plane, input.letterbox);
  return { source, ...placed, ...(anchor === "top-left" ? { left: 0, top: 0 } : {}) };
}

/** Returns the width of a text line that is scaled to the input's height. */
function lineWidth({ width: w, height: h }: Size, plane: Size): number {
  return Math.min(plane.width, Math.ceil((w * plane.height) / h));
}

type Placement = Omit<Geometry, "source">;

function contained(
  { width: w, height: h }: Size,
  plane: Size,
  { rounding }: ImageInput["letterbox"],
): Placement {
  const whole = rounding === undefined ? roundHalfEven : roundHalfUp;
  const gain = Math.min(plane.height / h, plane.width / w);
  const width = Math.max(1, whole(w * gain));
  const height = Math.max(1, whole(h * gain));
  const left = roundHalfEven((plane.width - width) / 2 - 0.1);
  const top = roundHalfEven((plane.height - height) / 2 - 0.1);
  return { left, top, width, height };
}

function covered({ width: w, height: h }: Size, plane: Size, edge: number | undefined): Placement {
  const square = edge === undefined ? plane : { width: edge, height: edge };
  const wide = square.width * h >= square.height * w;
  const width = wide ? square.width : Math.floor((square.height * w) / h);
  const height = wide ? Math.floor((square.width * h) / w) : square.height;
  const left = 0 - roundHalfEven((width - plane.width) / 2);
  const top = 0 - roundHalfEven((height - plane.height) / 2);
  return { left, top, width, height };
}

/** The part of the input that the picture covers, and the taps of its columns and rows. */
interface PictureTaps {
  from: { x: number; y: number };
  to: { x: number; y: number };
  columns: Taps;
  rows: Taps;
}

export function pictureTaps(geometry: Geometry, input: ImageInput): PictureTaps {
  const { source, left, top, width, height } = geometry;
  const plane = planeSize(input);
  const { interpolation } = input.letterbox;
  const [fromX, toX] = visible(left, width, plane.width);
  const [fromY, toY] = visible(top, height, plane.height);
  const columns = taps(interpolation, source.width, width, fromX - left, toX - left);
  const rows = taps(interpolation, source.height, height, fromY - top, toY - top);
  return { from: { x: fromX, y: fromY }, to: { x: toX, y: toY }, columns, rows };
}

/** The taps of the last picture: the next frame of a stream needs the same ones. */
const lastTaps = new WeakMap<ImageInput["letterbox"], { of: string; taps: PictureTaps }>();

function cachedTaps(geometry: Geometry, input: ImageInput): PictureTaps {
  const of = JSON.stringify([geometry, input.shape, input.layout]);
  const last = lastTaps.get(input.letterbox);
  if (last?.of === of) return last.taps;
  const taps = pictureTaps(geometry, input);
  lastTaps.set(input.letterbox, { of, taps });
  return taps;
}

/** Returns the input's elements in the order of its shape; for a uint8 input, integers from 0 to 255. */
export function letterbox(pixels: Pixels, input: ImageInput, geometry: Geometry): Float32Array<ArrayBuffer> {
  const plane = planeSize(input);
  const { from: first, columns, rows } = cachedTaps(geometry, input);
  const tensor = paddedTensor(input, plane.width * plane.height);
  const step = input.layout === "nchw" ? 1 : channelCount(input);
  const channels = [...channelOrder(input).entries()].filter(([, source]) => source !== ALPHA);
  let begin = (first.y * plane.width + first.x) * step;
  for (const row of resampledRows(pixels, columns, rows)) {
    if (input.letterbox.interpolation === "bicubic") clampLevels(row);
    if (input.color === "gray") toGray(row);
    for (const [channel, source] of channels) {
      const origin = input.layout === "nchw" ? channel * plane.width * plane.height : channel;
      writeNormalized(tensor, origin + begin, step, row, source, input, channel);
    }
    begin += plane.width * step;
  }
  return tensor;
}

/** Writes the channel `source` of a row of RGB, normalized, into every `step`th element from `begin` on. */
function writeNormalized(
  tensor: Float32Array,
  begin: number,
  step: number,
  row: Float64Array,
  source: number,
  input: ImageInput,
  channel: number,
): void {
  const { scale, mean, std, dtype } = input;
  const offset = mean[channel] ?? 0;
  const divisor = std[channel] ?? 1;
  let at = begin;
  if (dtype !== "float32") {
    const normal = normalizer(input, channel);
    for (let from = source; from < row.length; from += 3, at += step) tensor[at] = normal(row[from] ?? 0);
  } else if (offset === 0 && divisor === 1) {
    for (let from = source; from < row.length; from += 3, at += step) tensor[at] = (row[from] ?? 0) * scale;
  } else {
    for (let from = source; from < row.length; from += 3, at += step)
      tensor[at] = ((row[from] ?? 0) * scale - offset) / divisor;
  }
}

function clampLevels(levels: Float64Array): void {
  for (let at = 0; at < levels.length; at++) levels[at] = Math.min(Math.max(levels[at] ?? 0, 0), 255);
}

/** Clips `start` to `start + size` to 0..`limit`. Returns the first position, and the one after the last. */
function visible(start: number, size: number, limit: number): [number, number] {
  return [Math.max(0, start), Math.min(start + size, limit)];
}

/** Writes the grey of every pixel to its red. */
function toGray(colors: Float64Array): void {
  const [red, green, blue] = LUMA;
  for (let at = 0; at < colors.length; at += 3)
    colors[at] = (colors[at] ?? 0) * red + (colors[at + 1] ?? 0) * green + (colors[at + 2] ?? 0) * blue;
}

function paddedTensor(input: ImageInput, area: number): Float32Array<ArrayBuffer> {
  const color = padColor(input.letterbox);
  const pad = channelOrder(input).map((source, channel) => {
    if (color === null && source !== ALPHA) return 0;
    return normalizer(input, channel)(orderedLevel(input, channel, color ?? [0, 0, 0]));
  });
  const tensor = new Float32Array(area * pad.length);
  if (input.layout === "nchw") {
    for (const [channel, value] of pad.entries()) tensor.fill(value, channel * area, (channel + 1) * area);
    return tensor;
  }
  for (let at = 0; at < tensor.length; at++) tensor[at] = pad[at % pad.length] ?? 0;
  return tensor;
}
