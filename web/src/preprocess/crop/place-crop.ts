// Places a crop around a box: the affine transform from pixels of the input to pixels of the picture. See
// CropInput in the manifest for the formulas.

import type { Box, CropAttributes, PictureSize } from "../../api/types.js";
import type { CropInput } from "../../manifest/manifest.js";
import { planeSize, type Size } from "../letterbox.js";
import { type Affine, similarity } from "./affine.js";

/** The box that a crop is cut around, in pixels of the picture. `label` is null for the whole picture. */
export interface CropBox {
  box: Box;
  score: number;
  classIndex: number;
  label: string | null;
  /** The keypoints that are aligned to a template. */
  points: readonly (readonly [number, number])[];
  /** The attributes from earlier stages. */
  attributes: CropAttributes;
  /** The corners of a rotated box, clockwise from the start of its text. */
  polygon?: Corners;
  /** The text line was upside down: the corners are rotated by 180°. */
  turned?: true;
  /** Set if the polygon is a part of a text line. */
  part?: LinePart;
}

export interface LinePart {
  line: CropBox;
  /** Pixels from the start of the line to this part. */
  begin: number;
  /** The share of its width that it overlaps with the part before. */
  overlap: number;
}

/** A crop's box, and the transform from input to picture. The input is padded from `columns` and `rows` on. */
export interface Crop {
  cropBox: CropBox;
  toPicture: Affine;
  columns: number;
  rows: number;
}

export function wholePicture({ width, height }: Size): CropBox {
  return {
    box: { x1: 0, y1: 0, x2: width, y2: height },
    score: 1,
    classIndex: 0,
    label: null,
    points: [],
    attributes: {},
  };
}

/**
 * Places a crop: aligned to the keypoint template if there are enough keypoints, along a text line, or around
 * the box.
 */
export function placeCrop(cropBox: CropBox, input: CropInput): Crop {
  const { template } = input;
  const { width: columns, height: rows } = planeSize(input);
  if (template.length > 0 && template.length === cropBox.points.length) {
    const aligned = similarity(template, cropBox.points);
    if (aligned !== null) return { cropBox, toPicture: aligned, columns, rows };
  }
  if (input.aspect === "line") return alongLine(cropBox, input);
  return { cropBox, toPicture: aroundBox(cropBox.box, input), columns, rows };
}

function aroundBox({ x1, y1, x2, y2 }: Box, input: CropInput): Affine {
  const plane = planeSize(input);
  const wide = (x2 - x1) * input.padding;
  const high = (y2 - y1) * input.padding;
  const keeps = input.aspect !== "stretch";
  const width = keeps ? Math.max(wide, (high * plane.width) / plane.height) : wide;
  const height = keeps ? Math.max(high, (wide * plane.height) / plane.width) : high;
  const across = input.unbiased ? plane.width - 1 : plane.width;
  const down = input.unbiased ? plane.height - 1 : plane.height;
  const left = (x1 + x2) / 2 - width / 2;
  const top = (y1 + y2) / 2 - height / 2;
  return { xx: width / across, xy: 0, x0: left, yx: 0, yy: height / down, y0: top };
}

/**
 * A text line that is at least this many times higher than wide is vertical: it is rotated by 90° before it
 * is read.
 */
const VERTICAL_RATIO = 1.5;

export type Corner = readonly [x: number, y: number];
export type Corners = readonly [Corner, Corner, Corner, Corner];

/** Returns the corners of the polygon, or of the box if there is none. */
export function cornersOf({ box: { x1, y1, x2, y2 }, polygon }: Pick<CropBox, "box" | "polygon">): Corners {
  const [a, b, c, d] = polygon ?? [];
  if (a !== undefined && b !== undefined && c !== undefined && d !== undefined) return [a, b, c, d];
  return [
    [x1, y1],
    [x2, y1],
    [x2, y2],
    [x1, y2],
  ];
}

/** Returns three corners of a line: the start of its text, the end of the side along it, and the end of the side across. */
export function lineSides(
  cropBox: Pick<CropBox, "box" | "polygon">,
): [first: Corner, second: Corner, last: Corner] {
  const [a, b, c, d] = cornersOf(cropBox);
  return distance(a, d) >= VERTICAL_RATIO * distance(a, b) ? [b, c, a] : [a, b, d];
}

/** Returns the length of a line in the picture along its text, and across. */
export function lineSize(cropBox: CropBox): PictureSize {
  const [first, second, last] = lineSides(cropBox);
  return [distance(first, second), distance(first, last)];
}

function alongLine(cropBox: CropBox, input: CropInput): Crop {
  const { width, height } = planeSize(input);
  const [first, second, last] = lineSides(cropBox);
  const wide = distance(first, second);
  const high = distance(first, last);
  const wanted = high > 0 ? Math.max(1, Math.ceil((height * wide) / high)) : Number.POSITIVE_INFINITY;
  const columns = Math.min(width, wanted);
  const shrinks = input.split !== undefined && wanted > width;
  const rows = shrinks ? Math.max(1, Math.floor((width * high) / wide)) : height;
  const [x0, y0] = first;
  const toPicture = {
    xx: (second[0] - x0) / columns,
    xy: (last[0] - x0) / rows,
    x0,
    yx: (second[1] - y0) / columns,
    yy: (last[1] - y0) / rows,
    y0,
  };
  return { cropBox, toPicture, columns, rows };
}

export function distance([x, y]: Corner, [otherX, otherY]: Corner): number {
  const across = otherX - x;
  const down = otherY - y;
  return Math.sqrt(across * across + down * down);
}
