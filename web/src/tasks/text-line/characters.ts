// Decodes the characters of a line from a recognizer's scores, as `TextRecognition` in the manifest's schema
// defines it.

import type { TextWord } from "../../api/types.js";
import type { TextLineTask, TextTask } from "../../manifest/manifest.js";
import { toLogicalOrder } from "./logical-order.js";

/** The rules for decoding the scores of a line. `characters` are split once for a run. */
export type CharacterRules = Pick<TextLineTask, "blank" | "logits" | "decoding"> & {
  characters: readonly string[];
};

/** A character, its score, and its position: from `start` to `end`, in columns or in pixels of the line. */
export interface ReadCharacter {
  text: string;
  score: number;
  start: number;
  end: number;
}

/**
 * The positions of columns: each is `column` pixels of the input wide, and a pixel of the input is `scale` of
 * the picture.
 */
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

export function characterRules({ characters, ...rules }: TextLineTask | TextTask): CharacterRules {
  return { ...rules, characters: characters.split("\n") };
}

/**
 * Returns the characters in `scores` [T, C], in pixels along the line. `at(column, class)` returns the index
 * of a score.
 */
export function placeCharacters(
  rules: CharacterRules,
  scores: Float32Array,
  columns: number,
  at: (column: number, kind: number) => number,
  places: ColumnPlaces,
): ReadCharacter[] {
  const best = Array.from({ length: columns }, (_, column) => bestClass(rules, scores, column, at));
  const isCtc = rules.decoding !== "end-token";
  const found = (isCtc ? runsOfClasses : beforeTheEnd)(best, rules.blank);
  const pixels = (column: number): number =>
    isCtc
      ? Math.min(Math.max((column * places.column - places.left) * places.scale, 0), places.width)
      : (column * places.width) / found.length;
  return found.map(({ kind, start, end }) => ({
    text: rules.characters[kind] ?? "",
    score: probability(rules, scores, start, kind, at),
    start: pixels(start),
    end: pixels(end),
  }));
}

/** Returns the text of characters, split into words. Columns of CTC are from left to right, whatever the script. */
export function lineOf(
  { decoding }: Pick<CharacterRules, "decoding">,
  read: readonly ReadCharacter[],
): LineText {
  const characters = decoding === "end-token" ? read : toLogicalOrder(read);
  const words = splitWords(characters).map((word) => ({
    ...textAndScore(word),
    from: Math.min(...word.map(({ start }) => start)),
    to: Math.max(...word.map(({ end }) => end)),
  }));
  return { ...textAndScore(characters), words };
}

/** A class, and the columns where it has the best score. */
interface ColumnRun {
  kind: number;
  start: number;
  end: number;
}

function runsOfClasses(best: readonly number[], blank: number): ColumnRun[] {
  const found: ColumnRun[] = [];
  for (const [column, kind] of best.entries()) {
    const last = found.at(-1);
    if (last?.kind === kind) last.end = column + 1;
    else found.push({ kind, start: column, end: column + 1 });
  }
  return found.filter(({ kind }) => kind !== blank);
}

function beforeTheEnd(best: readonly number[], blank: number): ColumnRun[] {
  const end = best.indexOf(blank);
  const text = end < 0 ? best : best.slice(0, end);
  return text.map((kind, column) => ({ kind, start: column, end: column + 1 }));
}

/** Returns the best class. NaN is never the best. */
function bestClass(
  { characters, blank }: CharacterRules,
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
  { characters, logits }: CharacterRules,
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

function textAndScore(read: readonly ReadCharacter[]): { text: string; score: number } {
  const total = read.reduce((sum, { score }) => sum + score, 0);
  return { text: read.map(({ text }) => text).join(""), score: read.length > 0 ? total / read.length : 0 };
}
