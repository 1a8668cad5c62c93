// One file from the network: again where it was cut off, from where it was, and not much more of it than there can be.

import { abortedError, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { Decompressor, isEncoded } from "./decompress.js";
import { ReceivedBytes } from "./received-bytes.js";

type Bytes = Uint8Array<ArrayBuffer>;
export type OnBytes = (count: number) => void;

interface ReceiveOptions {
  signal: AbortSignal;
  cache?: RequestCache;
}

/** What came of a file, and its decompressor, which had all of that. */
export interface Received {
  content: Bytes;
  decompressor: Decompressor;
}

/** Milliseconds before each further try, counted from the last one that brought something new. */
const PAUSES = [1_000, 3_000];
/** Answers after which another try may go better, besides those that begin with 5. */
const TRANSIENT = [408, 416, 425, 429];

/**
 * Fetches a file. `onBytes` is called with its stored bytes as they come, at most `file.size` of them: a host that
 * decompresses sends more. What comes is for the caller to check; rejects with `download-failed` and `aborted`.
 */
export async function receive(
  url: string,
  file: File,
  onBytes: OnBytes,
  options: ReceiveOptions,
): Promise<Received> {
  const partial = new PartialFile(file, onBytes);
  for (let failures = 0; ; ) {
    const before = partial.furthest;
    try {
      // The last try begins at the start: a host may forbid ranges, or answer them with nonsense.
      await attempt(url, partial, options, failures < PAUSES.length ? partial.resumable() : 0);
      return partial.end();
    } catch (cause) {
      failures = partial.furthest > before ? 1 : failures + 1;
      const pause = PAUSES[failures - 1];
      if (options.signal.aborted) throw abortedError(options.signal);
      if (pause === undefined || !isTransient(cause)) throw downloadFailed(url, file, cause);
      await sleep(pause, options.signal);
      if (options.signal.aborted) throw abortedError(options.signal);
    }
  }
}

/** Fetches what is left of a file from `offset` on. */
async function attempt(
  url: string,
  partial: PartialFile,
  options: ReceiveOptions,
  offset: number,
): Promise<void> {
  const stop = new AbortController();
  const abort = (): void => stop.abort(options.signal.reason);
  options.signal.addEventListener("abort", abort);
  if (options.signal.aborted) abort();
  try {
    const headers: HeadersInit = offset > 0 ? { Range: `bytes=${offset}-` } : {};
    const asked = fetch(url, { ...options, headers, signal: stop.signal });
    const response = await withLimit(asked, LIMITS.stall, "the server");
    if (!response.ok) throw new Refused(response);
    if (offset === 0 || response.status !== 206) partial.restart();
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    const next = (): Promise<ReadableStreamReadResult<Bytes>> =>
      withLimit(reader.read(), LIMITS.stall, "the server, with more of the file,");
    for (let part = await next(); part.value; part = await next()) if (!partial.push(part.value)) return;
  } finally {
    options.signal.removeEventListener("abort", abort);
    stop.abort(); // ends a download that has stalled, or that nobody reads to its end
  }
}

/** What came so far, over all tries. */
class PartialFile {
  readonly #file: File;
  readonly #onBytes: OnBytes;
  /** Bytes that there can be: a host that decompresses sends what is in the file. */
  readonly #limit: number;
  #received: ReceivedBytes;
  #decompressor: Decompressor;
  #counted = 0;
  /** The most bytes that a try has brought. */
  furthest = 0;

  constructor(file: File, onBytes: OnBytes) {
    this.#file = file;
    this.#onBytes = onBytes;
    this.#limit = file.encoding === "identity" ? file.size : Math.max(file.size, file.uncompressedSize);
    this.#received = new ReceivedBytes(file.size, file.path);
    this.#decompressor = new Decompressor(file);
  }

  /** Returns where the next try may go on. Only a hash finds out that a file was replaced between two of them. */
  resumable(): number {
    const { length } = this.#received;
    return isSecureContext && length > 0 && isEncoded(this.#file, this.#received.content()) ? length : 0;
  }

  restart(): void {
    if (this.#received.length === 0) return;
    this.#received = new ReceivedBytes(this.#file.size, this.#file.path);
    this.#decompressor = new Decompressor(this.#file);
  }

  /** Returns whether there may be more. */
  push(chunk: Bytes): boolean {
    this.#received.push(chunk);
    this.#decompressor.push(chunk);
    const { length } = this.#received;
    this.furthest = Math.max(this.furthest, length);
    this.#count(Math.min(length, this.#file.size));
    return length <= this.#limit;
  }

  end(): Received {
    this.#count(this.#file.size);
    return { content: this.#received.content(), decompressor: this.#decompressor };
  }

  #count(bytes: number): void {
    if (bytes <= this.#counted) return;
    this.#onBytes(bytes - this.#counted);
    this.#counted = bytes;
  }
}

/** An answer that is none of the file. */
class Refused extends Error {
  readonly status: number;

  constructor({ status, statusText }: Response) {
    super(`the server answered ${status} ${statusText}`.trim());
    this.status = status;
  }
}

function isTransient(cause: unknown): boolean {
  if (cause instanceof WebbuildError) return false;
  return !(cause instanceof Refused) || cause.status >= 500 || TRANSIENT.includes(cause.status);
}

function downloadFailed(url: string, file: File, cause: unknown): WebbuildError {
  if (cause instanceof WebbuildError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isGone = cause instanceof Refused && (cause.status === 404 || cause.status === 410);
  const fix = isGone
    ? `reload the page if the bundle was deployed again since; else check that ${url} is deployed`
    : `check the network, and that ${url} is deployed; what was fetched whole is not fetched again`;
  return new WebbuildError("download-failed", `${file.path}: ${reason}`, fix, { cause });
}

/** Waits, but not after `signal` fires. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
