// The embeddings of what was found.

import type { RunResult } from "../../api/run-result.js";
import type { CropAttributes } from "../crop-attributes.js";
import type { Detection } from "../detect/result.js";

/** Objects that a detector found, each with the vector that a second model gives it. */
export interface CropEmbeddingsResult extends RunResult {
  kind: "crop-embeddings";
  /** In the order of the detector. */
  detections: EmbeddedDetection[];
}

/** An object and its vector: the larger the dot product of two vectors, the more alike are the objects. */
export interface EmbeddedDetection extends Detection, CropAttributes {
  /** Of length 1, so that a dot product is the cosine of the angle between two. */
  embedding: Float32Array<ArrayBuffer>;
}
