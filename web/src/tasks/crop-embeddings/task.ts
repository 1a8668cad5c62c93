// Embeddings of crops: a unit vector for each object that an earlier stage found.

import type { CropEmbeddingsResult, EmbeddedDetection } from "../../api/types.js";
import type { CropEmbeddingsTask } from "../../manifest/manifest.js";
import { cropTask, detectionOf } from "../crop-task.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf } from "../task-module.js";

export const task = cropTask<CropEmbeddingsTask, FieldsOf<CropEmbeddingsResult>, EmbeddedDetection>({
  kind: "crop-embeddings",
  outputs: ({ output }) => [output],
  decode({ output, size }, { outputs, crops, batch }) {
    const rank = outputs[output]?.dims.length ?? 2;
    const ones = Array.from({ length: Math.max(0, rank - 2) }, () => 1); // [batch, size] or [batch, size, 1, 1]
    const values = readFloats(outputs, output, [batch, size, ...ones]);
    return crops.map((crop, index) => ({
      ...detectionOf(crop),
      embedding: unit(values.subarray(index * size, (index + 1) * size)),
    }));
  },
  result: (detections, picture) => ({ kind: "crop-embeddings", ...picture, detections }),
  items: ({ detections }) => detections,
  more: { transfer: ({ detections }) => ({ arrays: detections.map(({ embedding }) => embedding) }) },
});

/** A copy, divided by its length; zeros stay zeros. */
function unit(vector: Float32Array): Float32Array<ArrayBuffer> {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return Float32Array.from(vector, (value) => value / length);
}
