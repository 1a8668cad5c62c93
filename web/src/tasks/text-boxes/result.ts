// Where text is.

import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** Where text is in a picture. */
export interface TextBoxesResult extends RunResult {
  kind: "text-boxes";
  /** In reading order: rows from the top down, each from the left. */
  detections: TextBox[];
}

/** Text, `label` is "text". Its `box` is the upright one around the polygon. */
export interface TextBox extends Detection {
  /** In the picture: clockwise from the upper left corner of the text. */
  polygon: Polygon;
}

/** x and y in pixels of the picture. */
export type Corner = [x: number, y: number];

export type Polygon = [Corner, Corner, Corner, Corner];
