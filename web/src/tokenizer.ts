// The tokenizer in its own module, only in bundles that take text. The workers of models import it. For a
// text encoder it is the script of a worker that can be terminated, since a tokenizer's regular expression
// may never end.

import { Tokenizer } from "@huggingface/tokenizers";
import type { WordPieceTokenizer } from "./tasks/grounding/load-tokenizer.js";
import { TOKENIZER_WORKER, type TokenizerAnswer, type TokenizerRequest } from "./text/tokenizer-worker.js";

/** Parses the text of a `tokenizer.json`. */
export function read(text: string): WordPieceTokenizer {
  const tokenizer = new Tokenizer(JSON.parse(text), {});
  return {
    encode: (caption) => tokenizer.encode(caption).ids,
    decode: (ids) => (ids.length === 0 ? "" : tokenizer.decode([...ids], { skip_special_tokens: false })),
  };
}

let opened: WordPieceTokenizer | null = null;

function answer(request: TokenizerRequest): number[][] {
  if ("texts" in request) return request.texts.map((text) => opened?.encode(text) ?? []);
  opened = read(new TextDecoder().decode(request.open));
  return [];
}

if ((globalThis as { name?: unknown }).name === TOKENIZER_WORKER)
  addEventListener("message", ({ data }: MessageEvent<TokenizerRequest>) => {
    let reply: TokenizerAnswer;
    try {
      reply = { ids: answer(data) };
    } catch (error) {
      reply = { failed: error instanceof Error ? error.message : String(error) };
    }
    postMessage(reply);
  });
