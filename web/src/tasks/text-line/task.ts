// The text of a picture of one line.

import { internalError } from "../../api/errors.js";
import type { Tensors, TextLineResult } from "../../api/types.js";
import type { TextLineTask } from "../../manifest/manifest.js";
import { runInput } from "../../preprocess/image-input.js";
import { type Geometry, planeSize } from "../../preprocess/letterbox.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf, ManifestOf, TaskModule } from "../task-module.js";
import { characterRules, type LineText, lineOf, placeCharacters } from "./characters.js";

export const task: TaskModule<TextLineTask, FieldsOf<TextLineResult>> = {
  kind: "text-line",
  neededOutputs: ({ task: { output } }) => [output],
  decode: (manifest, outputs, geometry) => ({
    kind: "text-line",
    ...geometry.source,
    ...lineIn(manifest, outputs, geometry),
  }),
};

function lineIn(
  { task, inputs, outputs: specs }: ManifestOf<TextLineTask>,
  outputs: Tensors,
  { source, left, width }: Geometry,
): LineText {
  const rules = characterRules(task);
  const shape = specs.find(({ name }) => name === task.output)?.shape;
  const columns = shape?.[task.layout === "ntc" ? 1 : 0];
  if (shape === undefined || columns === undefined) throw internalError(`${task.output} has no columns`);
  const scores = readFloats(outputs, task.output, shape);
  const count = rules.characters.length;
  const at = (column: number, kind: number): number => column * count + kind;
  const read = placeCharacters(rules, scores, columns, at, {
    column: planeSize(runInput(inputs).image).width / columns,
    left,
    scale: source.width / width,
    width: source.width,
  });
  return lineOf(rules, read);
}
