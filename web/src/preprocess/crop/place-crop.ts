// Where the crop around a box lies in the picture. The manifest's CropInput has the formulas.

import type { Box, CropAttributes } from "../../api/types.js";
import type { CropInput } from "../../manifest/manifest.js";
import { planeSize, type Size } from "../letterbox.js";
import { type Affine, similarity } from "./affine.js";

/** What a crop is cut around, in pixels of the picture; `label` is null where nothing says what is in it. */
export interface CropBox {
  box: Box;
  score: number;
  classIndex: number;
  label: string | null;
  /** The keypoints that a template aligns. */
  points: readonly (readonly [number, number])[];
  /** What earlier stages said of it. */
  said: CropAttributes;
}

/** A crop's box, and where the pixels of the input lie in the picture. */
export interface Crop {
  around: CropBox;
  toPicture: Affine;
}

export function wholePicture({ width, height }: Size): CropBox {
  return {
    box: { x1: 0, y1: 0, x2: width, y2: height },
    score: 1,
    classIndex: 0,
    label: null,
    points: [],
    said: {},
  };
}

/** Aligned to the template where the input has one and the box as many keypoints. */
export function placeCrop(around: CropBox, input: CropInput): Crop {
  const { template } = input;
  if (template.length > 0 && template.length === around.points.length) {
    const aligned = similarity(template, around.points);
    if (aligned !== null) return { around, toPicture: aligned };
  }
  return { around, toPicture: aroundBox(around.box, input) };
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
