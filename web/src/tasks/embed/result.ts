// The embedding of a picture.

import type { RunResult } from "../../api/run-result.js";

/** A vector for the picture: the larger the dot product of two vectors, the more similar are the pictures. */
export interface EmbedResult extends RunResult {
  kind: "embed";
  /** Of length 1, so that the dot product of two is their cosine similarity. */
  embedding: Float32Array<ArrayBuffer>;
}
