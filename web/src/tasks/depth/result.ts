// A depth map, with the requested parts.

import type { RunResult } from "../../api/run-result.js";
import type { DepthTask } from "../../manifest/manifest.js";

/** A part of a depth result. */
export type DepthPart = "values" | "map" | "colors";

/** A depth map, with the requested parts. */
export interface DepthResult extends RunResult {
  kind: "depth";
  /**
   * Row by row, one value for each pixel of the source picture. NaN where the model's input did not show it.
   * Null if "values" were not requested.
   */
  depth: Float32Array<ArrayBuffer> | null;
  /**
   * The confidence, in the same size as `depth` and requested with it; larger is better. Null if the model
   * has none.
   */
  confidence: Float32Array<ArrayBuffer> | null;
  /** The model's own map, from which the values are interpolated. Null if "map" was not requested. */
  map: DepthGrid | null;
  /**
   * The coloured map: bright where it is near, transparent where there is no value. It has the picture's
   * shape, with a longer side of at most 1280 pixels. Close it after use. Null if "colors" were not
   * requested.
   */
  colors: ImageBitmap | null;
  /** The minimum and maximum value of the picture's pixels, NaN if none has one. */
  min: number;
  max: number;
  /**
   * The values at the bright and the dark end of the colours: of the model's range if it has one, else of the
   * map's.
   */
  near: number;
  far: number;
  /** Whether the values are distances or inverse distances. */
  quantity: DepthTask["quantity"];
  unit: DepthTask["unit"];
}

/**
 * The model's own depth map, row by row, smaller than most pictures. `depthAt` interpolates it at a pixel of
 * the picture.
 */
export interface DepthGrid {
  values: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
  /** The size of the model's input, in pixels, and the place of the picture in it. */
  input: { width: number; height: number };
  placed: { left: number; top: number; width: number; height: number };
}

/** The fields of a depth result, by requested part. */
interface DepthPartFields {
  values: "depth";
  map: "map";
  colors: "colors";
}

/** A depth result of a run with these parts. */
export type DepthResultOf<Part extends DepthPart> = DepthResult & {
  [Name in DepthPartFields[Part]]: NonNullable<DepthResult[Name]>;
};
