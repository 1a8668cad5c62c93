// Results as plain JSON.

import type { EverythingResult, Result } from "../api/types.js";

/** The maximum length of an array that is written in full. */
const MOST_NUMBERS = 1000;

/**
 * Returns a result without data that JSON cannot hold. Short typed arrays become lists, long ones only their
 * type and length; pictures are left out. For masks use `toCoco`.
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
