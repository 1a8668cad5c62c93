// The text in a picture: a recogniser reads the lines that an earlier stage finds.

import { internalError } from "../../api/errors.js";
import type { TextLine, TextResult } from "../../api/types.js";
import type { TextTask } from "../../manifest/manifest.js";
import { cornersOf } from "../../preprocess/crop/place-crop.js";
import { cropTask } from "../crop-task.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf } from "../task-module.js";
import { ctcRules, readLine } from "../text-line/ctc.js";

export const task = cropTask<TextTask, FieldsOf<TextResult>, TextLine>({
  kind: "text",
  outputs: ({ output }) => [output],
  decode(spec, { outputs, crops, batch, input }) {
    const rules = ctcRules(spec);
    const classes = rules.characters.length;
    const [first, second] = outputs[spec.output]?.dims ?? [];
    if (first === undefined || second === undefined) throw internalError(`${spec.output} has no columns`);
    // [batch, T, C], or [T, 1, C] of one crop, whose elements lie in the same order.
    const columns = second === 1 ? first : second;
    const dims = second === 1 ? [columns, 1, classes] : [batch, columns, classes];
    const scores = readFloats(outputs, spec.output, dims);
    return crops.map(({ around, toPicture, columns: width }, index): TextLine => {
      const scale = Math.hypot(toPicture.xx, toPicture.yx) || 1;
      const begin = index * columns * classes;
      const at = (column: number, kind: number): number => begin + column * classes + kind;
      const places = { column: input.width / columns, left: 0, scale, width: scale * width };
      const polygon = cornersOf(around).map(([x, y]): [number, number] => [x, y]) as TextLine["polygon"];
      const turned = around.turned && { turned: around.turned };
      return { ...readLine(rules, scores, columns, at, places), polygon, box: around.box, ...turned };
    });
  },
  result(items, picture) {
    const lines = items.filter(({ text }) => text !== "");
    return { kind: "text", ...picture, text: lines.map(({ text }) => text).join("\n"), lines };
  },
  items: ({ lines }) => lines,
  readsLines: true,
});
