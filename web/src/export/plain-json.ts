// Results as plain JSON.

import type { EverythingResult, Result } from "../api/types.js";

/** Numbers of an array that are still written out. */
const MOST_NUMBERS = 1000;

/**
 * A result without what JSON cannot hold or nobody reads: short typed arrays become lists, of longer ones only the type
 * and length are left, and pictures are left out. Masks and maps are for `toCoco`.
 */
export function toJson(result: Result | EverythingResult): Record<string, unknown> {
  const { preprocess: _preprocess, postprocess: _postprocess, ...rest } = result;
  return plain(rest) as Record<string, unknown>;
}

function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const list = value as unknown as ArrayLike<number | bigint>;
    if (list.length > MOST_NUMBERS) return { type: value.constructor.name, length: list.length };
    return Array.from(list, (one) => (typeof one === "bigint" ? Number(one) : one));
  }
  if (value instanceof ImageBitmap) return undefined;
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plain(one)]));
  return value;
}
