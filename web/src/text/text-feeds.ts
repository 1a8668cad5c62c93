// Makes the inputs of a text encoder from token ids.

import { WebbuildError } from "../api/errors.js";
import type { Tensors } from "../api/types.js";
import type { Manifest, TextInput } from "../manifest/manifest.js";
import { toTensor } from "../tensors/typed-arrays.js";

/** Returns a tensor [1, length] for each input. Throws "invalid-prompt" for a text with more tokens. */
export function textFeeds(
  inputs: Manifest["inputs"],
  { length, padding }: Pick<TextInput, "length" | "padding">,
  text: string,
  ids: readonly number[],
): Tensors {
  if (ids.length === 0 || ids.length > length) {
    const what = `${JSON.stringify(text.slice(0, 80))} has ${ids.length} tokens, the text encoder takes 1 to ${length}`;
    throw new WebbuildError("invalid-prompt", what, "write a shorter text");
  }
  const row = (valueAt: (place: number) => number): number[] =>
    Array.from({ length }, (_, at) => valueAt(at));
  const values: Record<string, (place: number) => number> = {
    input_ids: (at) => ids[at] ?? padding,
    attention_mask: (at) => (at < ids.length ? 1 : 0),
    token_type_ids: () => 0,
    position_ids: (at) => at,
  };
  const prompts = inputs.filter((input) => input.kind === "prompt");
  return Object.fromEntries(
    prompts.map((input) => [input.name, toTensor(input, row(values[input.role] ?? (() => 0)))]),
  );
}
