// The classes of a picture.

import type { RunResult } from "../../api/run-result.js";

/** The classes of a picture. */
export interface ClassifyResult extends RunResult {
  kind: "classify";
  /** All classes, the most probable first. */
  classes: ClassScore[];
}

/** A class and its probability. */
export interface ClassScore {
  classIndex: number;
  label: string;
  score: number;
}
