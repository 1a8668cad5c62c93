// Text detection: decodes a probability map into boxes in the source picture.

import type { TextBox, TextBoxesResult } from "../../api/types.js";
import type { TextBoxesTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { type Geometry, planeSize, type Size } from "../../preprocess/letterbox.js";
import { sourcePoint } from "../detection-rows.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, TaskModule } from "../task-module.js";
import { findText, type TextMap } from "./find-text.js";
import { confidenceOf } from "./options.js";
import { inReadingOrder } from "./reading-order.js";
import type { Corner, Polygon } from "./result.js";

export const task: TaskModule<TextBoxesTask, FieldsOf<TextBoxesResult>, number> = {
  kind: "text-boxes",
  context: ({ task }, options) => confidenceOf(task, options),
  neededOutputs: ({ task: { output } }) => [output],
  decode({ task, inputs, outputs: specs }, outputs, geometry, confidence) {
    const dims = specs.find(({ name }) => name === task.output)?.shape ?? [];
    const [, , height = 0, width = 0] = dims;
    const map = { width, height, cells: readFloats(outputs, task.output, dims) };
    const detections = decodeTextBoxes(task, geometry, map, planeSize(runInput(inputs).image), confidence);
    return { kind: "text-boxes", ...geometry.source, detections };
  },
  /** A picture without text has a map of zeros. */
  flatOutputsAllowed: true,
};

/**
 * Returns the boxes in reading order, clipped to the picture. `input` is the size of the input that the map
 * covers.
 */
export function decodeTextBoxes(
  task: TextBoxesTask,
  geometry: Geometry,
  map: TextMap,
  input: Size,
  confidence: number,
): TextBox[] {
  const { width, height } = geometry.source;
  const inPicture = ([column, row]: Corner): Corner => {
    const at = [(column * input.width) / map.width, (row * input.height) / map.height];
    const { x, y } = sourcePoint(geometry, at);
    return [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
  };
  const found = findText(task, map, confidence).map(({ corners, score }): TextBox => {
    const polygon = corners.map(inPicture) as Polygon;
    return { box: boxAround(polygon), score, classIndex: 0, label: "text", polygon };
  });
  return inReadingOrder(found).filter(({ box: { x1, y1, x2, y2 } }) => x1 < x2 && y1 < y2);
}

function boxAround(polygon: Polygon): TextBox["box"] {
  const x = polygon.map(([each]) => each);
  const y = polygon.map(([, each]) => each);
  return { x1: Math.min(...x), y1: Math.min(...y), x2: Math.max(...x), y2: Math.max(...y) };
}
