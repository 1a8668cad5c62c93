// Fetches a WordPiece tokenizer and opens it in the worker.

import { corruptFile, errorMessage, WebbuildError } from "../../api/errors.js";
import type { GroundingTask } from "../../manifest/manifest.js";
import type { Downloads } from "../../storage/download.js";
import { LIMITS, withLimit } from "../../worker/with-limit.js";

export interface WordPieceTokenizer {
  /** Returns the token ids of a text, with [CLS] before and [SEP] after them. */
  encode(text: string): number[];
  /** Returns the text of tokens, including special ones. */
  decode(ids: readonly number[]): string;
}

interface Library {
  read(text: string): WordPieceTokenizer;
}

export async function loadTokenizer(task: GroundingTask, downloads: Downloads): Promise<WordPieceTokenizer> {
  const bytes = await downloads.get(task.tokenizer);
  const module = downloads.runtimePath(TOKENIZER_MODULE);
  await downloads.checkScript(module, () => {});
  const library = await importLibrary(downloads.url(module));
  return readTokenizer(library, new TextDecoder().decode(bytes), task.tokenizer);
}

/** Opens the tokenizer in a text. Any error of the library, now or later, becomes `corrupt-file`. */
export function readTokenizer(library: Library, text: string, path: string): WordPieceTokenizer {
  const checked = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      const reason = errorMessage(cause);
      throw corruptFile(path, `it is not a usable tokenizer: ${reason}`, { cause });
    }
  };
  const tokenizer = checked(() => library.read(text));
  return {
    encode: (caption) =>
      checked(() => {
        const ids = tokenizer.encode(caption);
        if (!ids.every(Number.isSafeInteger)) throw new Error("a token has no id");
        return ids;
      }),
    decode: (ids) => checked(() => tokenizer.decode(ids)),
  };
}

async function importLibrary(address: string): Promise<Library> {
  try {
    const script: Promise<Library> = import(
      /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
    );
    return await withLimit(script, LIMITS.start, "its script");
  } catch (cause) {
    const reason = errorMessage(cause);
    const fix = "deploy the whole bundle, and serve .js files as text/javascript";
    throw new WebbuildError("engine-failed", `the tokenizer did not start: ${reason}`, fix, { cause });
  }
}

/** The path in the bundle. */
const TOKENIZER_MODULE = "runtime/tokenizer.js";
