// The tokenizer as a module of its own: only bundles that take a prompt hold it, and only their workers import it.

import { Tokenizer } from "@huggingface/tokenizers";
import type { WordPieceTokenizer } from "./tasks/grounding/load-tokenizer.js";

/** Reads the text of a `tokenizer.json`. */
export function read(text: string): WordPieceTokenizer {
  const tokenizer = new Tokenizer(JSON.parse(text), {});
  return {
    encode: (caption) => tokenizer.encode(caption).ids,
    decode: (ids) => (ids.length === 0 ? "" : tokenizer.decode([...ids], { skip_special_tokens: false })),
  };
}
