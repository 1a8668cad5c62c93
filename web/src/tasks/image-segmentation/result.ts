// A picture divided into regions.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { ImageSegmentationTask } from "../../manifest/manifest.js";

/** A picture divided into regions. */
export interface ImageSegmentationResult extends RunResult {
  kind: "image-segmentation";
  mode: ImageSegmentationTask["mode"];
  regions: Region[];
  /** Row by row, the number of each pixel's region in the source picture, from 1; 0 without a region. */
  map: Uint16Array<ArrayBuffer>;
}

/** An object, or all pixels of a class. */
export interface Region {
  classIndex: number;
  label: string;
  /** Null in a semantic result, where every pixel is classified separately. */
  score: number | null;
  /** The number of its pixels in the source picture, and their share of the picture. */
  pixels: number;
  share: number;
  /** The bounding box of its pixels. */
  box: Box;
}
