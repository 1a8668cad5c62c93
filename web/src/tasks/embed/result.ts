// The embedding of a picture.

import type { RunResult } from "../../api/run-result.js";

/** A vector for the picture: the larger the dot product of two vectors, the more alike are the pictures. */
export interface EmbedResult extends RunResult {
  kind: "embed";
  /** Of length 1, so that a dot product is the cosine of the angle between two. */
  embedding: Float32Array<ArrayBuffer>;
}
