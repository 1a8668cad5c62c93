// A picture of any size into the fixed size of an image input. Not a general resizer: what the manifest says, exactly.

import type { CropInput, ImageInput } from "../manifest/manifest.js";
import type { Pixels } from "./canvas-pixels.js";
import type { Crop } from "./crop/place-crop.js";
import { type Taps, taps } from "./resample.js";
import { roundHalfEven, roundHalfUp } from "./rounding.js";
import { weighedRows } from "./weighed-rows.js";

export interface Size {
  width: number;
  height: number;
}

/** Where the resized picture lies in the input, what is outside cut off, and how large it was. All in pixels. */
export interface Geometry {
  source: Size;
  left: number;
  top: number;
  width: number;
  height: number;
  /** Of an input of crops: where each of them lies in the picture. */
  crops?: readonly Crop[];
}

/** An input that a picture's pixels become. */
type PictureInput = ImageInput | CropInput;

/** Returns the width and height of the input's plane. */
export function planeSize(input: Pick<PictureInput, "shape" | "layout">): Size {
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

/** The columns of a line of text that is as high as the input. */
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

/** The part of the input that has some of the picture in it, and the taps of its columns and rows. */
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

/** The taps of the last picture: those of the next frame are the same. */
const lastTaps = new WeakMap<ImageInput["letterbox"], { of: string; taps: PictureTaps }>();

function keptTaps(geometry: Geometry, input: ImageInput): PictureTaps {
  const of = JSON.stringify([geometry, input.shape, input.layout]);
  const last = lastTaps.get(input.letterbox);
  if (last?.of === of) return last.taps;
  const taps = pictureTaps(geometry, input);
  lastTaps.set(input.letterbox, { of, taps });
  return taps;
}

/** What red, green and blue weigh in a grey. */
export const LUMA = [0.299, 0.587, 0.114] as const;

/** Returns the input's elements, in the order of its shape; of an input of bytes whole numbers from 0 to 255. */
export function letterbox(pixels: Pixels, input: ImageInput, geometry: Geometry): Float32Array<ArrayBuffer> {
  const plane = planeSize(input);
  const { from: first, columns, rows } = keptTaps(geometry, input);
  const tensor = paddedTensor(input, plane.width * plane.height);
  const step = input.layout === "nchw" ? 1 : channelsOf(input);
  const channels = [...channelOrder(input).entries()].filter(([, source]) => source !== ALPHA);
  let begin = (first.y * plane.width + first.x) * step;
  for (const row of weighedRows(pixels, columns, rows)) {
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

/** Writes a channel of a row of RGB, every `step`th element from `at`. */
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

/** What of `size` positions placed at `start` lies within `room`: the first, and the one after the last. */
function visible(start: number, size: number, room: number): [number, number] {
  return [Math.max(0, start), Math.min(start + size, room)];
}

/** Of a picture as the model takes it. */
export function channelsOf({ color }: Pick<PictureInput, "color">): number {
  return ORDERS[color].length;
}

/** The fourth of RGBA is none of a picture's: it is filled with 255. */
const ORDERS = { rgb: [0, 1, 2], bgr: [2, 1, 0], gray: [0], rgba: [0, 1, 2, 3] } as const;
const ALPHA = 3;
const OPAQUE = 255;

/** Returns what a channel of the input holds of a colour, 0 to 255, before it is normalised. */
export function orderedLevel(
  { color }: Pick<PictureInput, "color">,
  channel: number,
  rgb: readonly [number, number, number],
): number {
  if (color === "gray") return rgb[0] * LUMA[0] + rgb[1] * LUMA[1] + rgb[2] * LUMA[2];
  const order: readonly number[] = ORDERS[color];
  const levels: readonly number[] = rgb;
  return levels[order[channel] ?? ALPHA] ?? OPAQUE;
}

function channelOrder({ color }: ImageInput): readonly number[] {
  return ORDERS[color];
}

/** Puts the grey of every pixel in its first colour's place. */
function toGray(colors: Float64Array): void {
  const [red, green, blue] = LUMA;
  for (let at = 0; at < colors.length; at += 3)
    colors[at] = (colors[at] ?? 0) * red + (colors[at + 1] ?? 0) * green + (colors[at + 2] ?? 0) * blue;
}

/** A level of a channel into an element of the tensor. */
export function normalizer(
  { scale, mean, std, dtype }: Pick<PictureInput, "scale" | "mean" | "std" | "dtype">,
  channel: number,
): (value: number) => number {
  const offset = mean[channel] ?? 0;
  const divisor = std[channel] ?? 1;
  if (dtype === "float32") return (value) => (value * scale - offset) / divisor;
  return (value) =>
    Math.max(0, Math.min(255, roundHalfEven(Math.fround((value * scale - offset) / divisor))));
}

/** The levels of red, green and blue around a picture; null where they are the mean, which is 0 in the tensor. */
export function padColor({ pad }: ImageInput["letterbox"]): readonly [number, number, number] | null {
  if (pad === "mean") return null;
  const [red = 0, green = 0, blue = 0] = typeof pad === "number" ? [pad, pad, pad] : pad;
  return [red, green, blue];
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
