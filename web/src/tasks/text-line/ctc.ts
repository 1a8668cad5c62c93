// Greedy CTC decoding, as `CtcTask` in the manifest's schema defines it.

import type { TextWord } from "../../api/types.js";
import type { TextLineTask, TextTask } from "../../manifest/manifest.js";

/** What the scores of a line are decoded with. `characters` are split once for a run. */
export type CtcRules = Pick<TextLineTask, "blank" | "logits"> & { characters: readonly string[] };

/** A character, its score, and where it is: from `start` up to `end`, in columns or in pixels along the line. */
export interface ReadCharacter {
  text: string;
  score: number;
  start: number;
  end: number;
}

/** Where the columns lie: each is `column` pixels of the input wide, a pixel of which is `scale` of the picture's. */
export interface ColumnPlaces {
  column: number;
  left: number;
  scale: number;
  width: number;
}

export interface LineText {
  text: string;
  score: number;
  words: TextWord[];
}

export function ctcRules({ characters, blank, logits }: TextLineTask | TextTask): CtcRules {
  return { characters: characters.split("\n"), blank, logits };
}

/** Returns the characters in `scores` of [T, C], in pixels along the line: `at(column, class)` is the place of a score. */
export function placeCharacters(
  rules: CtcRules,
  scores: Float32Array,
  columns: number,
  at: (column: number, kind: number) => number,
  places: ColumnPlaces,
): ReadCharacter[] {
  const pixels = (column: number): number =>
    Math.min(Math.max((column * places.column - places.left) * places.scale, 0), places.width);
  const found = decodeCtc(rules, scores, columns, at);
  return found.map((each) => ({ ...each, start: pixels(each.start), end: pixels(each.end) }));
}

/** Returns the text of characters, and its words. */
export function lineOf(read: readonly ReadCharacter[]): LineText {
  const words = splitWords(read).map((word) => ({
    ...said(word),
    from: word[0]?.start ?? 0,
    to: word.at(-1)?.end ?? 0,
  }));
  return { ...said(read), words };
}

function decodeCtc(
  rules: CtcRules,
  scores: Float32Array,
  columns: number,
  at: (column: number, kind: number) => number,
): ReadCharacter[] {
  const best = Array.from({ length: columns }, (_, column) => bestClass(rules, scores, column, at));
  const found: ReadCharacter[] = [];
  let start = 0;
  for (let column = 1; column <= columns; column++) {
    const kind = best[start] ?? rules.blank;
    if (best[column] === kind) continue;
    const text = rules.characters[kind] ?? "";
    const score = () => probability(rules, scores, start, kind, at);
    if (kind !== rules.blank) found.push({ text, score: score(), start, end: column });
    start = column;
  }
  return found;
}

/** NaN is never the best. */
function bestClass(
  { characters, blank }: CtcRules,
  scores: Float32Array,
  column: number,
  at: (column: number, kind: number) => number,
): number {
  let best = blank;
  let largest = Number.NEGATIVE_INFINITY;
  for (let kind = 0; kind < characters.length; kind++) {
    const score = scores[at(column, kind)] ?? Number.NaN;
    if (score > largest) [best, largest] = [kind, score];
  }
  return best;
}

function probability(
  { characters, logits }: CtcRules,
  scores: Float32Array,
  column: number,
  kind: number,
  at: (column: number, kind: number) => number,
): number {
  const own = scores[at(column, kind)] ?? Number.NaN;
  if (!logits) return own;
  let total = 0;
  for (let other = 0; other < characters.length; other++) {
    const score = scores[at(column, other)] ?? Number.NaN;
    if (!Number.isNaN(score)) total += Math.exp(score - own);
  }
  return 1 / total;
}

function splitWords(read: readonly ReadCharacter[]): ReadCharacter[][] {
  const words: ReadCharacter[][] = [[]];
  for (const each of read) {
    if (/^\p{White_Space}+$/u.test(each.text)) words.push([]);
    else words.at(-1)?.push(each);
  }
  return words.filter((word) => word.length > 0);
}

function said(read: readonly ReadCharacter[]): { text: string; score: number } {
  const total = read.reduce((sum, { score }) => sum + score, 0);
  return { text: read.map(({ text }) => text).join(""), score: read.length > 0 ? total / read.length : 0 };
}
