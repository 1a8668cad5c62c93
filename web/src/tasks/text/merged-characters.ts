// Merges the text of two overlapping parts of a line: same as webbuild/tasks/decoding/merged_characters.py.

import { roundHalfEven } from "../../preprocess/rounding.js";
import type { ReadCharacter } from "../text-line/characters.js";

/** docTR reduces its estimate of the overlap by this: the characters cut off at both ends, and one more. */
const CUT = 3;

/** Returns the characters of a part and of the next one, which shares `overlap` of its width with it. */
export function mergeCharacters(
  before: readonly ReadCharacter[],
  after: readonly ReadCharacter[],
  overlap: number,
): ReadCharacter[] {
  if (Math.min(before.length, after.length) <= 1) return [...before, ...after];
  const kept = before.slice(0, -1);
  const rest = after.slice(1);
  const unlike = Array.from({ length: Math.min(kept.length, rest.length) }, (_, at) => {
    const end = kept.slice(-(at + 1));
    return end.filter(({ text }, index) => text !== rest[index]?.text).length;
  });
  const expected = roundHalfEven(after.length * overlap) - CUT;
  const exact = [...unlike.keys()].filter((at) => unlike[at] === 0);
  if (exact.length === 0 && expected < 0) return expected < -1 ? [...before, ...after] : [...kept, ...rest];
  const cost = (at: number): number => (unlike[at] ?? 0) + Math.abs(at - expected);
  const best = (exact.length > 0 ? exact : [...unlike.keys()]).reduce((one, other) =>
    cost(other) < cost(one) ? other : one,
  );
  return [...kept, ...rest.slice(best + 1)];
}
