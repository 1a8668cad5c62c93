// A WordPiece tokenizer, fetched and opened in the worker.

import type { Downloads } from "./download.js";
import { WebbuildError } from "./errors.js";
import type { Manifest } from "./manifest.js";

export interface Wordpiece {
  /** The numbers of a text's pieces, [CLS] in front and [SEP] behind. */
  encode(text: string): number[];
  /** The text of pieces, special ones too. */
  decode(ids: readonly number[]): string;
}

/** Null for a model that takes no prompt. */
export async function openWordpiece({ task }: Manifest, downloads: Downloads): Promise<Wordpiece | null> {
  if (task.kind !== "phrases") return null;
  const bytes = await downloads.get(task.tokenizer);
  try {
    const beside = new URL(/* @vite-ignore */ "./tokenizer.js", import.meta.url).href;
    const library: { read(text: string): Wordpiece } = await import(
      /* @vite-ignore */ downloads.given(LIBRARY) ?? beside
    );
    return library.read(new TextDecoder().decode(bytes));
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const fix = "deploy the whole bundle, and serve .js files as text/javascript";
    throw new WebbuildError("engine-failed", `the tokenizer did not start: ${why}`, fix, { cause });
  }
}

/** In the bundle. A bundler, which moves the worker away from it, is given its address. */
const LIBRARY = "runtime/tokenizer.js";
