// The cases of conformance/crop, and the boxes in them.

import type { CropInput } from "../../src/manifest/manifest.js";
import type { CropBox } from "../../src/preprocess/crop/place-crop.js";

export interface CropCase {
  input: CropInput;
  image: { width: number; height: number; rgba: number[] };
  boxes: { box: [number, number, number, number]; points: [number, number][] }[];
  want: { tensor: number[] };
  tolerance: number;
}

export function cropBox({ box: [x1, y1, x2, y2], points }: CropCase["boxes"][number]): CropBox {
  return { box: { x1, y1, x2, y2 }, score: 1, classIndex: 0, label: null, points };
}
