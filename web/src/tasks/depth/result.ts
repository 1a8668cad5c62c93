// A depth map, in the parts that a run asks for.

import type { RunResult } from "../../api/run-result.js";
import type { DepthTask } from "../../manifest/manifest.js";

/** A part of a depth result. */
export type DepthPart = "values" | "map" | "colors";

/** A depth map, in the parts that the run asked for. */
export interface DepthResult extends RunResult {
  kind: "depth";
  /**
   * Row by row, one value for each pixel of the source picture. NaN where the model saw nothing of it. Null where
   * "values" were not asked for.
   */
  depth: Float32Array<ArrayBuffer> | null;
  /** As large, and asked for with it; the larger, the surer. Null where the model gives none. */
  confidence: Float32Array<ArrayBuffer> | null;
  /** What the values are read from. Null where "map" was not asked for. */
  map: DepthGrid | null;
  /**
   * The map in colours, bright where it is near, transparent where there is no value: of the picture's shape, its longer
   * side at most 1280 pixels. Yours to close. Null where "colors" were not asked for.
   */
  colors: ImageBitmap | null;
  /** The least and the largest value of the picture's pixels, NaN where none has one. */
  min: number;
  max: number;
  /** The values at the bright and the dark end of the colours: of the model's own range if it has one, else of the map's. */
  near: number;
  far: number;
  /** What grows: the distance, or its inverse. */
  quantity: DepthTask["quantity"];
  unit: DepthTask["unit"];
}

/** A depth map as the model gives it, row by row, smaller than most pictures. `depthAt` reads it at a pixel of the picture. */
export interface DepthGrid {
  values: Float32Array<ArrayBuffer>;
  columns: number;
  rows: number;
  /** What it is a map of, in pixels: the model's input, and where in it the picture was placed. */
  input: { width: number; height: number };
  placed: { left: number; top: number; width: number; height: number };
}

/** What a depth result holds by the part that was asked for. */
interface DepthPartFields {
  values: "depth";
  map: "map";
  colors: "colors";
}

/** A depth result of a run that was asked for these parts. */
export type DepthResultOf<Part extends DepthPart> = DepthResult & {
  [Name in DepthPartFields[Part]]: NonNullable<DepthResult[Name]>;
};
