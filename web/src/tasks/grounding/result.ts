// Objects that match a prompt.

import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** Objects that match a prompt. */
export interface GroundingResult extends RunResult {
  kind: "grounding";
  /** Best first. */
  detections: PhraseDetection[];
  /** The phrases of the prompt, in order, as the model read them. */
  phrases: string[];
}

/** An object that matches the prompt. `label` is the matched words, `classIndex` their phrase's index. */
export type PhraseDetection = Detection;
