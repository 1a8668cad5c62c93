// A picture divided into regions.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { ImageSegmentationTask } from "../../manifest/manifest.js";

/** A picture divided into regions. */
export interface ImageSegmentationResult extends RunResult {
  kind: "image-segmentation";
  mode: ImageSegmentationTask["mode"];
  regions: Region[];
  /** Row by row, for each pixel of the source picture the number of its region, from 1; 0 where there is none. */
  map: Uint16Array<ArrayBuffer>;
}

/** A thing, or all that there is of a class. */
export interface Region {
  classIndex: number;
  label: string;
  /** Null in a semantic result, where every pixel is decided by itself. */
  score: number | null;
  /** How many pixels of the source picture it has, and which part of the picture that is. */
  pixels: number;
  share: number;
  /** The least box around them. */
  box: Box;
}
