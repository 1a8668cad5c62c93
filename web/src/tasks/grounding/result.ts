// Objects that a prompt names.

import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** What a prompt names. */
export interface GroundingResult extends RunResult {
  kind: "grounding";
  /** The best first. */
  detections: PhraseDetection[];
  /** Those of the prompt, in their order, as the model read them. */
  phrases: string[];
}

/** An object that the prompt names: `label` are the words it was found by, `classIndex` is its phrase, from 0 on. */
export type PhraseDetection = Detection;
