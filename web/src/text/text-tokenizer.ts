// The tokenizer of a text encoder, in its own worker. A worker that does not answer is terminated.

import { abortedError, corruptFile, WebbuildError } from "../api/errors.js";
import { askWorker } from "../worker/ask-worker.js";
import { createWorker } from "../worker/create-worker.js";
import { Queue } from "../worker/queue.js";
import { LIMITS, TimedOut, withLimit } from "../worker/with-limit.js";
import { TOKENIZER_WORKER, type TokenizerAnswer, type TokenizerRequest } from "./tokenizer-worker.js";

/** The URL of the script, and the content of the bundle's tokenizer.json. */
export interface TokenizerFiles {
  script: string;
  content: Uint8Array<ArrayBuffer>;
}

/** The time limit for texts in milliseconds: a regular expression of the tokenizer may never end. */
const ENCODE_LIMIT = 10_000;

export class TextTokenizer {
  readonly #path: string;
  readonly #fetch: () => Promise<TokenizerFiles>;
  readonly #limit: number;
  readonly #queue = new Queue();
  #worker: Worker | null = null;

  /** `path` is the file's path in the bundle, for messages. */
  constructor(path: string, fetch: () => Promise<TokenizerFiles>, limit = ENCODE_LIMIT) {
    this.#path = path;
    this.#fetch = fetch;
    this.#limit = limit;
  }

  /**
   * Returns the token ids of each text. Throws "corrupt-file", "tokenizer-timeout", "worker-failed" and
   * "aborted".
   */
  encode(texts: readonly string[], signal?: AbortSignal): Promise<number[][]> {
    return this.#queue.add(async () => {
      if (signal?.aborted) throw abortedError(signal);
      const worker = await this.#open();
      const ids = await this.#ask(worker, { texts }, this.#limit);
      if (!ids.flat().every(Number.isSafeInteger)) throw this.#broken("a token has no id");
      return ids;
    });
  }

  /** Terminates the worker. The next call starts another one. */
  end(): void {
    this.#worker?.terminate();
    this.#worker?.dispatchEvent(new Event("error")); // a pending request would never settle
    this.#worker = null;
  }

  async #open(): Promise<Worker> {
    if (this.#worker !== null) return this.#worker;
    const { script, content } = await this.#fetch();
    const worker = createWorker(new URL(script), TOKENIZER_WORKER);
    this.#worker = worker;
    await this.#ask(worker, { open: content }, LIMITS.start).catch((error: unknown) => {
      this.end();
      throw error;
    });
    return worker;
  }

  async #ask(worker: Worker, request: TokenizerRequest, limit: number): Promise<number[][]> {
    const moved = "open" in request ? [request.open.buffer] : [];
    const answered = askWorker<TokenizerAnswer>(worker, request, moved);
    const reply = await withLimit(answered, limit, "the tokenizer").catch((error: Error) => {
      this.end();
      throw error instanceof TimedOut ? this.#endless(error) : this.#unstarted(error);
    });
    if ("failed" in reply) throw this.#broken(reply.failed);
    return reply.ids;
  }

  #broken(reason: string): WebbuildError {
    return corruptFile(this.#path, `it is not a usable tokenizer: ${reason}`);
  }

  #endless({ message }: TimedOut): WebbuildError {
    const fix = "shorten the text; if any text takes so long, pack the model with another tokenizer.json";
    return new WebbuildError("tokenizer-timeout", `${this.#path}: ${message}, and was stopped`, fix);
  }

  #unstarted({ message }: Error): WebbuildError {
    const fix = "deploy the whole bundle, serve .js files as text/javascript, and allow worker-src 'self'";
    return new WebbuildError("worker-failed", `the tokenizer did not start: ${message}`, fix);
  }
}
