// Converts the mask of an inpainting model from pixels of the picture to pixels of the input.

import { WebbuildError } from "../api/errors.js";
import type { MaskSource, TensorData, Tensors } from "../api/types.js";
import type { ImageInput, Manifest, MaskChannel, MaskInput } from "../manifest/manifest.js";
import { classNameOf } from "../preprocess/class-name.js";
import { type Geometry, planeSize, type Size } from "../preprocess/letterbox.js";
import { toTensor } from "../tensors/typed-arrays.js";

/** The mask of the pixels to fill, row by row: 1 for each of them. */
export interface Hole extends Size {
  data: Uint8Array;
}

/** The smallest level that counts as white. */
const half = 128;

/** Whether the model takes a mask: as an input, or as a channel of its picture. */
export function takesMask(inputs: Manifest["inputs"]): boolean {
  return inputs.some((input) => input.kind === "mask" || (input.kind === "image" && input.mask));
}

/** Throws "invalid-option" for an invalid mask, a missing one, and one that the model does not take. */
export function checkMask(inputs: Manifest["inputs"], mask: unknown): void {
  const takes = takesMask(inputs);
  if (!takes && mask !== undefined) throw wrong("the model takes none", "leave mask out");
  if (classNameOf(mask) === "ImageBitmap" && (mask as ImageBitmap).width === 0)
    throw wrong(
      "the bitmap is closed",
      "give it before close() is called on it, and before it is transferred",
    );
  if (!takes || isMaskSource(mask)) return;
  const got = mask === undefined ? "none was given" : `got ${typeof mask}`;
  throw wrong(`wanted the pixels to fill in, ${got}`, `give ${wanted}`);
}

/** Whether the mask is pixels, not the logits of an earlier result. */
export function isMaskSource(mask: unknown): mask is MaskSource {
  return ["Uint8Array", "ImageData", "ImageBitmap"].includes(classNameOf(mask));
}

/** Returns the pixels to fill. Throws "invalid-option" for a mask of another size than the picture. */
export function readHole(mask: MaskSource, { width, height }: Size): Hole {
  const source = { width, height };
  const fix = "give a mask with a pixel for each of the picture, upright as it is shown";
  const size = `${source.width} x ${source.height}`;
  if (mask instanceof Uint8Array) {
    if (mask.length !== source.width * source.height)
      throw wrong(`${mask.length} pixels, the picture has ${size}: ${source.width * source.height}`, fix);
    return { ...source, data: mask };
  }
  if (mask.width !== source.width || mask.height !== source.height)
    throw wrong(`${mask.width} x ${mask.height} pixels, the picture has ${size}`, fix);
  const { data } = mask instanceof ImageData ? mask : drawn(mask);
  const pixels = source.width * source.height;
  const isHole = (at: number): boolean => (data[at] ?? 0) >= half && (data[at + 3] ?? 0) >= half;
  return { ...source, data: Uint8Array.from({ length: pixels }, (_, at) => Number(isHole(at * 4))) };
}

/** Returns for each pixel of the input whether it covers a pixel to fill, see MaskInput. [height * width] */
export function holeCells(hole: Hole, geometry: Geometry, plane: Size): Uint8Array<ArrayBuffer> {
  const columns = covering(geometry.left, geometry.width, hole.width, plane.width);
  const rows = covering(geometry.top, geometry.height, hole.height, plane.height);
  const cells = new Uint8Array(plane.width * plane.height);
  for (const [y, [top, bottom]] of rows.entries()) {
    const any = new Uint8Array(hole.width);
    for (let row = top; row < bottom; row++)
      for (let x = 0; x < hole.width; x++) any[x] ||= hole.data[row * hole.width + x] ? 1 : 0;
    for (const [x, [from, to]] of columns.entries())
      cells[y * plane.width + x] = any.subarray(from, to).includes(1) ? 1 : 0;
  }
  return cells;
}

/** For each position along a side of the input: the first source pixel it covers, and the end (exclusive). */
function covering(start: number, drawn: number, source: number, size: number): [number, number][] {
  const clamped = (at: number): number => Math.min(Math.max(at, 0), source);
  return Array.from({ length: size }, (_, place) => {
    const at = place - start;
    if (at < 0 || at >= drawn) return [0, 0];
    return [clamped(Math.floor((at * source) / drawn)), clamped(Math.ceil(((at + 1) * source) / drawn))];
  });
}

/** Returns the mask of the input's pixels as the graph's tensor. */
export function maskTensor({ dtype, shape, hole, known }: MaskInput, cells: Uint8Array): TensorData {
  return toTensor(
    { dtype, shape },
    Array.from(cells, (cell) => (cell ? hole : known)),
  );
}

/** The mask's tensor, and the function that edits the picture's tensor; null if it is not edited. */
interface MaskFeeds {
  feeds: Tensors;
  change: ((picture: TensorData) => void) | null;
}

/** Returns the feeds of a mask; null for a model without one. */
export function maskFeeds(
  inputs: Manifest["inputs"],
  hole: Hole | null,
  geometry: Geometry,
): MaskFeeds | null {
  const image = inputs.find((input) => input.kind === "image");
  if (hole === null || image === undefined) return null;
  const cells = holeCells(hole, geometry, planeSize(image));
  const mask = inputs.find((input) => input.kind === "mask");
  if (mask === undefined)
    return image.mask ? { feeds: {}, change: maskWriter(image, image.mask, cells) } : null;
  const change = mask.emptiesPicture ? (picture: TensorData) => emptyHole(picture, image, cells) : null;
  return { feeds: { [mask.name]: maskTensor(mask, cells) }, change };
}

/**
 * Returns the function that writes the mask into the fourth channel of a picture's tensor. [1, 4, H, W] or
 * [1, H, W, 4]
 */
function maskWriter(image: ImageInput, mask: MaskChannel, cells: Uint8Array) {
  return (picture: TensorData): void => {
    if (mask.emptiesPicture) emptyHole(picture, image, cells);
    for (const [cell, isHole] of cells.entries())
      picture.data[elementAt(image, cells.length, cell, 3)] = isHole ? mask.hole : mask.known;
  };
}

/** Returns the index of a channel of a pixel in a tensor of four channels. */
function elementAt({ layout }: ImageInput, pixels: number, cell: number, channel: number): number {
  return layout === "nchw" ? channel * pixels + cell : cell * 4 + channel;
}

/** Sets the picture's tensor to 0 at the pixels to fill. */
function emptyHole({ data }: TensorData, { layout }: ImageInput, cells: Uint8Array): void {
  const channels = data.length / cells.length;
  for (const [cell, isHole] of cells.entries()) {
    if (!isHole) continue;
    for (let channel = 0; channel < channels; channel++)
      data[layout === "nchw" ? channel * cells.length + cell : cell * channels + channel] = 0;
  }
}

function drawn(bitmap: ImageBitmap): ImageData {
  const { width, height } = bitmap;
  const context = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
  if (context === null)
    throw wrong(`${width} x ${height} pixels are more than this browser can read`, "give a smaller one");
  context.drawImage(bitmap, 0, 0);
  return context.getImageData(0, 0, width, height);
}

const wanted =
  "an ImageBitmap or ImageData, white where the picture is to be filled in, or a Uint8Array of its pixels, 1 there";

function wrong(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", `mask: ${what}`, fix);
}
