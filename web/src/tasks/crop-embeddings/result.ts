// The embeddings of detected objects.

import type { RunResult } from "../../api/run-result.js";
import type { CropAttributes } from "../crop-attributes.js";
import type { Detection } from "../detect/result.js";

/** Detected objects, each with the embedding of a second model. */
export interface CropEmbeddingsResult extends RunResult {
  kind: "crop-embeddings";
  /** In the detector's order. */
  detections: EmbeddedDetection[];
}

/** An object and its vector: the larger the dot product of two vectors, the more similar are the objects. */
export interface EmbeddedDetection extends Detection, CropAttributes {
  /** Of length 1, so that the dot product of two is their cosine similarity. */
  embedding: Float32Array<ArrayBuffer>;
}
