// The text in a picture.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { Polygon } from "../text-boxes/result.js";
import type { TextWord } from "../text-line/result.js";

/** The text in a picture: the lines that a detector found, each recognized separately. */
export interface TextResult extends RunResult {
  kind: "text";
  /** The text of all lines, separated by line feeds. */
  text: string;
  /** In the detector's order. Lines without recognized text are left out. */
  lines: TextLine[];
}

export interface TextLine {
  text: string;
  /** The mean of the characters' scores. */
  score: number;
  /** Clockwise from the top left corner of the text. */
  polygon: Polygon;
  /** The upright bounding box. */
  box: Box;
  /**
   * The line is upside down, and was recognized rotated by 180 degrees: a classifier before the recognizer
   * found this.
   */
  turned?: true;
  /** `from` and `to` are pixels of the picture along the line. */
  words: TextWord[];
}
