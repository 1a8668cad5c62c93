// Embeddings of crops: a unit vector for each object that an earlier stage found.

import type { CropEmbeddingsResult, EmbeddedDetection } from "../../api/types.js";
import type { CropEmbeddingsTask } from "../../manifest/manifest.js";
import { cropTask, detectionOf } from "../crop-task.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf } from "../task-module.js";
import { unitVector } from "../unit-vector.js";

export const task = cropTask<CropEmbeddingsTask, FieldsOf<CropEmbeddingsResult>, EmbeddedDetection>({
  kind: "crop-embeddings",
  outputs: ({ output }) => [output],
  decode({ output, size }, { outputs, crops, batch }) {
    const rank = outputs[output]?.dims.length ?? 2;
    const ones = Array.from({ length: Math.max(0, rank - 2) }, () => 1); // [batch, size] or [batch, size, 1, 1]
    const values = readFloats(outputs, output, [batch, size, ...ones]);
    return crops.map((crop, index) => ({
      ...detectionOf(crop),
      embedding: unitVector(values.subarray(index * size, (index + 1) * size)),
    }));
  },
  result: (detections, picture) => ({ kind: "crop-embeddings", ...picture, detections }),
  overrides: { transfer: ({ detections }) => ({ arrays: detections.map(({ embedding }) => embedding) }) },
});
