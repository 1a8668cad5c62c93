// The positions of text.

import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** The positions of text in a picture. */
export interface TextBoxesResult extends RunResult {
  kind: "text-boxes";
  /** In reading order: rows from top to bottom, each from left to right. */
  detections: TextBox[];
}

/** A text box, with the `label` "text". Its `box` is the upright box around the polygon. */
export interface TextBox extends Detection {
  /** In pixels of the picture, clockwise from the top left corner of the text. */
  polygon: Polygon;
}

/** x and y in pixels of the picture. */
export type Corner = [x: number, y: number];

export type Polygon = [Corner, Corner, Corner, Corner];
