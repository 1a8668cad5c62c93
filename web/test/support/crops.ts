// The cases of conformance/crop, and their boxes.

import type { CropInput } from "../../src/manifest/manifest.js";
import type { Corners, CropBox } from "../../src/preprocess/crop/place-crop.js";

export interface CropCase {
  input: CropInput;
  image: { width: number; height: number; rgba: number[] };
  boxes: {
    box: [number, number, number, number];
    points: [number, number][];
    polygon?: [number, number][];
  }[];
  want: { tensor: number[] };
  tolerance: number;
}

/** A plain crop to derive variants from. */
export const CROP_INPUT: CropInput = {
  kind: "crop",
  name: "input",
  dtype: "float32",
  shape: [1, 3, 8, 6],
  layout: "nchw",
  color: "rgb",
  scale: 1,
  mean: [0, 0, 0],
  std: [1, 1, 1],
  padding: 1,
  aspect: "keep",
  unbiased: false,
  pad: 0,
  template: [],
  classes: [],
  minScore: 0,
  maxCrops: 1000,
};

export function cropBox({ box: [x1, y1, x2, y2], points, polygon }: CropCase["boxes"][number]): CropBox {
  const own = { box: { x1, y1, x2, y2 }, score: 1, classIndex: 0, label: null, points, attributes: {} };
  return polygon === undefined ? own : { ...own, polygon: polygon as unknown as Corners };
}
