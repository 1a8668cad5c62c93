// Files of the bundle: streamed, counted, checked against the manifest, decompressed.

import { abortedError, corruptFile, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import { Decompressor, decompressInSteps, isEncoded } from "./decompress.js";
import { allocate, dequantize } from "./dequantize.js";
import type { FileCache } from "./file-cache.js";
import { ReceivedBytes } from "./received-bytes.js";
import { sha256 } from "./sha256.js";

export type OnBytes = (count: number) => void;
type Bytes = Uint8Array<ArrayBuffer>;

/** Where files lie: beside the manifest, but for those with an address of their own. */
interface FileLocations {
  base: string;
  addresses: Readonly<Record<string, string>>;
}

export class Downloads {
  readonly #locations: FileLocations;
  readonly #files: ReadonlyMap<string, File>;
  readonly #cache: FileCache;
  readonly #signal: AbortSignal;
  /** What a script has decompressed here. */
  readonly #slow = new Set<File>();

  /** What `cache` has is not fetched; what is fetched it is given to keep. */
  /** What was given to the cache to be written. */
  readonly #written = new WeakSet<Bytes>();

  constructor(locations: FileLocations, files: readonly File[], cache: FileCache, signal: AbortSignal) {
    this.#locations = locations;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#cache = cache;
    this.#signal = signal;
  }

  /** The address of a file that has one of its own. */
  addressOf(path: string): string | undefined {
    return this.#locations.addresses[path];
  }

  url(path: string): string {
    return this.addressOf(path) ?? new URL(path, this.#locations.base).href;
  }

  /** Returns the bytes that the files take as they are stored. */
  size(paths: readonly string[]): number {
    return sum(paths.map((path) => this.#file(path).size));
  }

  /** Whether nobody else reads the content of a file; that which is being written is waited for a short while. */
  async owns(content: Bytes): Promise<boolean> {
    return !this.#written.has(content) || (await this.#cache.flushWrites());
  }

  /** Returns the bytes that are in the files. */
  uncompressedSize(paths: readonly string[]): number {
    return sum(paths.map((path) => this.#file(path).uncompressedSize));
  }

  /** Returns the checked content of a file. `onBytes` is called with its stored bytes as they come. */
  async get(path: string, onBytes: OnBytes = () => {}): Promise<Bytes> {
    const file = this.#file(path);
    if (file.parts.length > 0) return this.#joinParts(file, onBytes);
    const kept = await this.#cache.get(file);
    if (kept === null) return this.#fetch(file, onBytes).catch((error: unknown) => this.#failed(error));
    onBytes(file.size);
    if (kept.isDecompressed) return kept.bytes;
    const decompressor = new Decompressor(file);
    if (decompressor.isSlow) this.#slow.add(file);
    decompressor.push(kept.bytes);
    return decompressor.content(kept.bytes);
  }

  /**
   * Decompresses once more what a script had to, and keeps it so for the next visit. For when nobody waits: a load that did
   * this would take longer, and memory would hold it meanwhile. Returns early where `signal` fires.
   */
  async keepDecompressed(signal: AbortSignal): Promise<void> {
    for (const file of this.#slow) {
      const kept = await this.#cache.get(file);
      if (kept !== null && !kept.isDecompressed) {
        const content = await decompressInSteps(file, kept.bytes, signal);
        if (content === null) return;
        this.#cache.putDecompressed(file, content);
      }
      this.#slow.delete(file);
    }
  }

  /** The worker ends with the load that failed: what was fetched whole is to be kept before that. */
  async #failed(error: unknown): Promise<never> {
    if (!this.#signal.aborted) await this.#cache.flushWrites();
    throw error;
  }

  /**
   * Fetches a script that the browser will fetch again to run it: checked, and left to the HTTP cache, where the second
   * try replaces a copy that is old or broken.
   */
  async checkScript(path: string, onBytes: OnBytes): Promise<void> {
    const file = this.#file(path);
    const [url, signal] = [this.url(path), this.#signal];
    const { stored } = await receive(url, file, onBytes, { signal });
    if ((await difference(file, stored)) === null) return;
    await verify(file, (await receive(url, file, () => {}, { signal, cache: "reload" })).stored);
  }

  /** A copy on the way that is old or broken is passed by: what is not as the manifest says is fetched again, once. */
  async #fetch(file: File, onBytes: OnBytes): Promise<Bytes> {
    const [url, signal] = [this.url(file.path), this.#signal];
    let { stored, inflating: decompressor } = await receive(url, file, onBytes, { signal });
    if (!isEncoded(file, stored)) return decompressor.content(stored);
    if ((await difference(file, stored)) !== null)
      ({ stored, inflating: decompressor } = await receive(url, file, () => {}, { signal, cache: "reload" }));
    await verify(file, stored);
    this.#cache.put(file, stored);
    this.#written.add(stored);
    if (decompressor.isSlow) this.#slow.add(file);
    return decompressor.content(stored);
  }

  /** One part at a time: beside the whole, memory holds one of them. */
  async #joinParts(file: File, onBytes: OnBytes): Promise<Bytes> {
    const parts = file.parts.map((path) => this.#file(path));
    const size = sum(parts.map((part) => part.size));
    const decompressedSize = sum(parts.map((part) => part.uncompressedSize));
    if (size !== file.size || (file.quantization === "none" && decompressedSize !== file.uncompressedSize))
      throw badManifest(
        `the parts of ${file.path} are ${size} bytes, not ${file.size}, and hold ${decompressedSize} of ${file.uncompressedSize}`,
      );
    if (parts.some((part) => part.parts.length > 0)) throw badManifest(`${file.path} has parts of parts`);
    const joined = allocate(decompressedSize, file.path);
    let offset = 0;
    for (const { path, uncompressedSize } of parts) {
      const content = await this.get(path, onBytes);
      if (content.byteLength !== uncompressedSize)
        throw badManifest(`${path} holds ${content.byteLength} bytes, not ${uncompressedSize}`);
      joined.set(content, offset);
      offset += uncompressedSize;
    }
    return file.quantization === "int8" ? dequantize(joined, file.uncompressedSize, file.path) : joined;
  }

  #file(path: string): File {
    const file = this.#files.get(path);
    if (file !== undefined) return file;
    throw badManifest(`${path} is used by the manifest but not in its files`);
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function badManifest(what: string): WebbuildError {
  return new WebbuildError("invalid-manifest", what, "pack the model again");
}

/** Counts at most `file.size`: a host that inflates sends more bytes than are stored. */
async function receive(
  url: string,
  file: File,
  onBytes: OnBytes,
  options: RequestInit,
): Promise<{ stored: Bytes; inflating: Decompressor }> {
  let counted = 0;
  const received = new ReceivedBytes(file.size, file.path);
  const decompressor = new Decompressor(file);
  for await (const chunk of stream(url, file, options)) {
    received.push(chunk);
    decompressor.push(chunk);
    const more = Math.min(chunk.byteLength, file.size - counted);
    counted += more;
    onBytes(more);
  }
  onBytes(file.size - counted);
  return { stored: received.content(), inflating: decompressor };
}

async function* stream(url: string, file: File, options: RequestInit): AsyncGenerator<Bytes> {
  const stop = new AbortController();
  const abort = (): void => stop.abort(options.signal?.reason);
  options.signal?.addEventListener("abort", abort);
  if (options.signal?.aborted) abort();
  try {
    const response = await withLimit(
      fetch(url, { ...options, signal: stop.signal }),
      LIMITS.stall,
      "the server",
    );
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    const reader = response.body?.getReader();
    if (reader === undefined) return;
    const next = (): Promise<ReadableStreamReadResult<Bytes>> =>
      withLimit(reader.read(), LIMITS.stall, "the server, with more of the file,");
    for (let part = await next(); part.value; part = await next()) yield part.value;
  } catch (cause) {
    if (options.signal?.aborted) throw abortedError(options.signal);
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = `check the network, and that ${url} is deployed; what was fetched whole is not fetched again`;
    throw new WebbuildError("download-failed", `${file.path}: ${reason}`, fix, { cause });
  } finally {
    options.signal?.removeEventListener("abort", abort);
    stop.abort(); // ends a download that has stalled, or that nobody reads to its end
  }
}

async function verify(file: File, stored: Bytes): Promise<void> {
  const wrong = await difference(file, stored);
  if (wrong !== null) throw corruptFile(file.path, wrong);
}

/** Returns how the file is not the one of the manifest, null where it is. */
async function difference(file: File, stored: Bytes): Promise<string | null> {
  if (stored.byteLength !== file.size) return `${stored.byteLength} bytes, wanted ${file.size}`;
  // Pages that are neither https nor localhost have no WebCrypto: their size is all that can be checked.
  if (!isSecureContext) return null;
  const got = await sha256(stored);
  return got === file.sha256 ? null : `sha256 ${got}, wanted ${file.sha256}`;
}
