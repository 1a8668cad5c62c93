// The text in a picture: a recognizer reads the lines of an earlier stage.

import { internalError } from "../../api/errors.js";
import type { TextLine, TextResult } from "../../api/types.js";
import type { TextTask } from "../../manifest/manifest.js";
import { type CropBox, cornersOf } from "../../preprocess/crop/place-crop.js";
import { cropTask } from "../crop-task.js";
import { readFloats } from "../read-output.js";
import type { FieldsOf } from "../task-module.js";
import {
  type CharacterRules,
  characterRules,
  lineOf,
  placeCharacters,
  type ReadCharacter,
} from "../text-line/characters.js";
import { mergeCharacters } from "./merged-characters.js";

/** The text of a crop: a line, or a part of one. Characters have positions along the crop. */
interface ReadCrop {
  cropBox: CropBox;
  rules: Pick<CharacterRules, "decoding">;
  read: ReadCharacter[];
}

export const task = cropTask<TextTask, FieldsOf<TextResult>, ReadCrop>({
  kind: "text",
  outputs: ({ output }) => [output],
  decode(spec, { outputs, crops, batch, input }) {
    const rules = characterRules(spec);
    const { decoding } = rules;
    const classes = rules.characters.length;
    const [first, second] = outputs[spec.output]?.dims ?? [];
    if (first === undefined || second === undefined) throw internalError(`${spec.output} has no columns`);
    // [batch, T, C]; or [T, 1, C] for one crop, whose elements are in the same order.
    const columns = second === 1 ? first : second;
    const dims = second === 1 ? [columns, 1, classes] : [batch, columns, classes];
    const scores = readFloats(outputs, spec.output, dims);
    return crops.map(({ cropBox, toPicture, columns: width }, index): ReadCrop => {
      const scale = Math.hypot(toPicture.xx, toPicture.yx) || 1;
      const begin = index * columns * classes;
      const at = (column: number, kind: number): number => begin + column * classes + kind;
      const places = { column: input.width / columns, left: 0, scale, width: scale * width };
      return { cropBox, rules: { decoding }, read: placeCharacters(rules, scores, columns, at, places) };
    });
  },
  result(items, picture) {
    const lines = wholeLines(items).filter(({ text }) => text !== "");
    return { kind: "text", ...picture, text: lines.map(({ text }) => text).join("\n"), lines };
  },
  readsLines: true,
});

function wholeLines(items: readonly ReadCrop[]): TextLine[] {
  const lines: ReadCrop[] = [];
  for (const { cropBox, rules, read } of items) {
    const { part } = cropBox;
    const before = part && part.begin > 0 ? lines.pop() : undefined;
    if (part === undefined || before === undefined) {
      lines.push({ cropBox: part?.line ?? cropBox, rules, read });
      continue;
    }
    const moved = read.map((each) => ({
      ...each,
      start: each.start + part.begin,
      end: each.end + part.begin,
    }));
    lines.push({ cropBox: part.line, rules, read: mergeCharacters(before.read, moved, part.overlap) });
  }
  return lines.map(({ cropBox, rules, read }) => {
    const polygon = cornersOf(cropBox).map(([x, y]): [number, number] => [x, y]) as TextLine["polygon"];
    return {
      ...lineOf(rules, read),
      polygon,
      box: cropBox.box,
      ...(cropBox.turned && { turned: cropBox.turned }),
    };
  });
}
