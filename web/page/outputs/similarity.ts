// The similarity of two pictures' embeddings.

import type { ResultRow } from "../results/result-list.js";
import { numberAt, type Values } from "./behaviour.js";

/** The same output of the previous picture. */
export interface Before {
  title: string;
  data: Values;
}

export function similarity(data: Values, before: Before | null): { rows: ResultRow[]; words: string } {
  if (before === null || before.data.length !== data.length)
    return { rows: [], words: "An embedding: choose a second picture to see how alike the two are." };
  const cosine = cosineSimilarity(data, before.data);
  const label = `like ${before.title}`;
  const row = { label, color: null, detail: "cosine", share: Math.max(0, cosine), value: cosine.toFixed(3) };
  return { rows: [row], words: "similarity to the previous picture" };
}

/** Returns the cosine: 1 for the same direction, 0 for a right angle. */
export function cosineSimilarity(one: Values, other: Values): number {
  let [product, first, second] = [0, 0, 0];
  for (let index = 0; index < one.length; index += 1) {
    const [a, b] = [numberAt(one, index), numberAt(other, index)];
    product += a * b;
    first += a * a;
    second += b * b;
  }
  return product / Math.sqrt(first * second || 1);
}
