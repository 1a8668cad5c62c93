// Classes of crops: a classifier runs on each object that an earlier stage found.

import type { ClassifiedDetection, CropClassesResult } from "../../api/types.js";
import type { CropClassesTask } from "../../manifest/manifest.js";
import { classDifference, decodeClasses } from "../classify/class-scores.js";
import { cropTask, detectionOf } from "../crop-task.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf } from "../task-module.js";

/** The maximum number of classes in a crop's result, as in the Python package. */
const MOST_CLASSES = 10;

export const task = cropTask<CropClassesTask, FieldsOf<CropClassesResult>, ClassifiedDetection>({
  kind: "crop-classes",
  outputs: ({ output }) => [output],
  decode(spec, { outputs, crops, batch }) {
    const count = spec.classes.length;
    const values = readFloats(outputs, spec.output, [batch, count]);
    return crops.map((crop, index) => {
      const classes = decodeClasses(spec, values.subarray(index * count, (index + 1) * count));
      return { ...detectionOf(crop), classes: classes.slice(0, MOST_CLASSES) };
    });
  },
  result: (detections, picture) => ({ kind: "crop-classes", ...picture, detections }),
  overrides: { difference: classDifference },
});
