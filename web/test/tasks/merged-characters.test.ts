import { expect, test } from "vitest";
import { mergeCharacters } from "../../src/tasks/text/merged-characters.js";
import type { ReadCharacter } from "../../src/tasks/text-line/characters.js";
import { casesOf } from "../support/conformance.js";

interface MergeCase {
  cases: { before: string; after: string; overlap: number; want: string }[];
}

const characters = (text: string): ReadCharacter[] =>
  [...text].map((each) => ({ text: each, score: 1, start: 0, end: 1 }));

test.each(casesOf<MergeCase>("merged-characters"))("conformance: %s", (_name, { cases }) => {
  for (const { before, after, overlap, want } of cases) {
    const merged = mergeCharacters(characters(before), characters(after), overlap);
    expect(merged.map(({ text }) => text).join("")).toBe(want);
  }
});
