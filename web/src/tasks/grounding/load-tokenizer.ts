// A WordPiece tokenizer, fetched and opened in the worker.

import { WebbuildError } from "../../api/errors.js";
import type { GroundingTask } from "../../manifest/manifest.js";
import type { Downloads } from "../../storage/download.js";
import { runtimeFile } from "../../storage/runtime-file.js";
import { LIMITS, withLimit } from "../../worker/with-limit.js";

export interface WordPieceTokenizer {
  /** The numbers of a text's pieces, [CLS] in front and [SEP] after. */
  encode(text: string): number[];
  /** The text of pieces, special ones too. */
  decode(ids: readonly number[]): string;
}

export async function loadTokenizer(task: GroundingTask, downloads: Downloads): Promise<WordPieceTokenizer> {
  const bytes = await downloads.get(task.tokenizer);
  try {
    const address = downloads.addressOf(TOKENIZER_MODULE) ?? runtimeFile("tokenizer.js").href;
    const script: Promise<{ read(text: string): WordPieceTokenizer }> = import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
    );
    const library = await withLimit(script, LIMITS.start, "its script");
    return library.read(new TextDecoder().decode(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = "deploy the whole bundle, and serve .js files as text/javascript";
    throw new WebbuildError("engine-failed", `the tokenizer did not start: ${reason}`, fix, { cause });
  }
}

/** Path inside the bundle. Where a bundler moved the worker, the option `addresses` has the address. */
const TOKENIZER_MODULE = "runtime/tokenizer.js";
