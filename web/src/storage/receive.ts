// Downloads a file. Resumes after an interruption, and stops if the server sends more than the file can have.

import { abortedError, errorMessage, WebbuildError } from "../api/errors.js";
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

/** The bytes of a file, and the decompressor that has received them. */
export interface Received {
  content: Bytes;
  decompressor: Decompressor;
}

/** Milliseconds before each retry. An attempt that brings new bytes starts over with the first. */
const RETRY_DELAYS = [1_000, 3_000];
/** HTTP statuses that are retried, besides 5xx. */
const RETRIED_STATUSES = [408, 416, 425, 429];

/**
 * Fetches a file, unchecked. `onBytes` is called with the count of new bytes, at most `file.size` in total,
 * although a host that decompresses sends more. Rejects with `download-failed` and `aborted`.
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
      // The last attempt starts from the beginning: a host may reject ranges, or respond with a wrong one.
      await attempt(url, partial, options, failures < RETRY_DELAYS.length ? partial.resumable() : 0);
      return partial.end();
    } catch (cause) {
      failures = partial.furthest > before ? 1 : failures + 1;
      const delay = RETRY_DELAYS[failures - 1];
      if (options.signal.aborted) throw abortedError(options.signal);
      if (delay === undefined || !isTransient(cause)) throw downloadFailed(url, file, cause);
      await sleep(delay, options.signal);
      if (options.signal.aborted) throw abortedError(options.signal);
    }
  }
}

/** Fetches the file from `offset` on. */
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
    const request = fetch(url, { ...options, headers, signal: stop.signal });
    const response = await withLimit(request, LIMITS.stall, "the server");
    if (!response.ok) throw new HttpError(response);
    if (offset === 0 || response.status !== 206) partial.restart();
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    const next = (): Promise<ReadableStreamReadResult<Bytes>> =>
      withLimit(reader.read(), LIMITS.stall, "the server, with more of the file,");
    for (let part = await next(); part.value; part = await next()) if (!partial.push(part.value)) return;
  } finally {
    options.signal.removeEventListener("abort", abort);
    stop.abort(); // ends a download that has stalled, or is not read to its end
  }
}

/** The bytes so far, over all attempts. */
class PartialFile {
  readonly #file: File;
  readonly #onBytes: OnBytes;
  /** The maximum number of bytes: a host that decompresses sends the decompressed content. */
  readonly #limit: number;
  #received: ReceivedBytes;
  #decompressor: Decompressor;
  #counted = 0;
  /** The maximum number of bytes of any attempt. */
  furthest = 0;

  constructor(file: File, onBytes: OnBytes) {
    this.#file = file;
    this.#onBytes = onBytes;
    this.#limit = file.encoding === "identity" ? file.size : Math.max(file.size, file.uncompressedSize);
    this.#received = new ReceivedBytes(file.size, file.path);
    this.#decompressor = new Decompressor(file);
  }

  /**
   * Returns the offset to resume from. 0 without hashes: only they reveal that the file was replaced between
   * two attempts.
   */
  resumable(): number {
    const { length } = this.#received;
    return isSecureContext && length > 0 && isEncoded(this.#file, this.#received.content()) ? length : 0;
  }

  restart(): void {
    if (this.#received.length === 0) return;
    this.#received = new ReceivedBytes(this.#file.size, this.#file.path);
    this.#decompressor = new Decompressor(this.#file);
  }

  /** Returns false if the file has more bytes than it can have. */
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

class HttpError extends Error {
  readonly status: number;

  constructor({ status, statusText }: Response) {
    super(`the server answered ${status} ${statusText}`.trim());
    this.status = status;
  }
}

function isTransient(cause: unknown): boolean {
  if (cause instanceof WebbuildError) return false;
  return !(cause instanceof HttpError) || cause.status >= 500 || RETRIED_STATUSES.includes(cause.status);
}

function downloadFailed(url: string, file: File, cause: unknown): WebbuildError {
  if (cause instanceof WebbuildError) return cause;
  const reason = errorMessage(cause);
  const isGone = cause instanceof HttpError && (cause.status === 404 || cause.status === 410);
  const fix = isGone
    ? `reload the page if the bundle was deployed again meanwhile; else check that ${url} is deployed`
    : `check the network, and that ${url} is deployed; complete files are not downloaded again`;
  return new WebbuildError("download-failed", `${file.path}: ${reason}`, fix, { cause });
}

/** Waits, at most until `signal` fires. */
function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
