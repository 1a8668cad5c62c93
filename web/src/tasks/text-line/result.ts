// The text of a picture of one line.

import type { RunResult } from "../../api/run-result.js";

/** The text of a picture of one line. */
export interface TextLineResult extends RunResult {
  kind: "text-line";
  /** Empty if no text was recognized. */
  text: string;
  /** The mean of the characters' scores, 0 if there are none. */
  score: number;
  /** The parts of the text between white space, in the order of the text: of Arabic from right to left. */
  words: TextWord[];
}

export interface TextWord {
  text: string;
  score: number;
  /** The start and end of the word along the picture's width, in pixels. */
  from: number;
  to: number;
}
