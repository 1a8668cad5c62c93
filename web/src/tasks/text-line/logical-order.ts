// Puts the characters of an Arabic line into logical order, similar to PaddleOCR's `pred_reverse`: same as
// webbuild/tasks/decoding/logical_order.py.

const ARABIC = /[\u0600-\u06ff\u0750-\u077f\u0870-\u08ff\ufb50-\ufdff\ufe70-\ufefc]/;
const LATIN = /[a-zA-Z0-9%+-]/;
const NEUTRAL = /[ :*./]/;
/** Latin letters and digits keep their order, with neutral characters between them. */
const PARTS = /L(?:[Ln]*L)?|./g;

/**
 * Returns characters that were read from left to right in the order of the text. A line without Arabic
 * characters stays as it is. In others the order is reversed, except within runs of Latin letters and digits.
 *
 *   12 AB  ->  BA 12, with A and B for Arabic letters
 */
export function toLogicalOrder<T extends { text: string }>(characters: readonly T[]): readonly T[] {
  if (!characters.some(({ text }) => ARABIC.test(text))) return characters;
  const kinds = characters.map(({ text }) => (LATIN.test(text) ? "L" : NEUTRAL.test(text) ? "n" : "R"));
  const parts = [...kinds.join("").matchAll(PARTS)].map(({ 0: part, index }) =>
    characters.slice(index, index + part.length),
  );
  return parts.reverse().flat();
}
