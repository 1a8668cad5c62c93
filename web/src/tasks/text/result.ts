// The text in a picture.

import type { Box } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { Polygon } from "../text-boxes/result.js";
import type { TextWord } from "../text-line/result.js";

/** The text in a picture: the lines that a detector found, read one by one. */
export interface TextResult extends RunResult {
  kind: "text";
  /** The text of all lines, with line feeds between them. */
  text: string;
  /** In the order of the detector. Those in which nothing was read are left out. */
  lines: TextLine[];
}

export interface TextLine {
  text: string;
  /** The mean of the characters' scores. */
  score: number;
  /** Clockwise from the upper left corner of the text. */
  polygon: Polygon;
  /** The upright box around it. */
  box: Box;
  /** It stands on its head, and was read turned by 180 degrees: a classifier in front of the reader said so. */
  turned?: true;
  /** `from` and `to` are pixels of the picture along the line. */
  words: TextWord[];
}
