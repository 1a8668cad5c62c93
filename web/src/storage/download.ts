// Provides the files of a bundle: from the cache or the network, checked against the manifest, decompressed
// and dequantized.

import { WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { LIMITS } from "../worker/with-limit.js";
import { Decompressor, decompressInSteps } from "./decompress.js";
import { allocate, dequantize } from "./dequantize.js";
import type { FileCache } from "./file-cache.js";
import { oneAtATime } from "./one-at-a-time.js";
import { type OnBytes, type Received, receive } from "./receive.js";
import { compileServed, storeServed } from "./served-engine.js";
import { SharedProgress } from "./shared-progress.js";
import { verifyFile } from "./verify-file.js";

export type { OnBytes } from "./receive.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** The bytes per millisecond from which on it is worth waiting for another tab's download. */
const SLOWEST_NETWORK = 1_000;

/** The URLs of files: relative to the manifest at `base`, except those in `addresses`. */
interface FileLocations {
  base: string;
  addresses: Readonly<Record<string, string>>;
}

export class Downloads {
  readonly #locations: FileLocations;
  readonly #files: ReadonlyMap<string, File>;
  readonly #cache: FileCache;
  readonly #signal: AbortSignal;
  /** Files that a script decompressed, because the browser cannot. */
  readonly #slow = new Set<File>();
  /** Content that the cache may still be writing. */
  readonly #written = new WeakSet<Bytes>();

  /** Files in `cache` are not fetched. Fetched files are stored there. */
  constructor(locations: FileLocations, files: readonly File[], cache: FileCache, signal: AbortSignal) {
    this.#locations = locations;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#cache = cache;
    this.#signal = signal;
  }

  url(path: string): string {
    const { addresses, base } = this.#locations;
    const moved = Object.hasOwn(addresses, path) ? addresses[path] : undefined;
    if (moved !== undefined) return moved;
    if (URL.canParse(path, base)) return new URL(path, base).href;
    throw badManifest(`${path} is not a valid URL`);
  }

  /**
   * Returns the path of a runtime file such as `runtime/worker.js`. On a site of several bundles it is above
   * the bundle.
   */
  runtimePath(name: string): string {
    return [...this.#files.keys()].find((path) => path === `../${name}`) ?? name;
  }

  /** Returns the number of bytes of the files, as stored in the bundle. */
  size(paths: readonly string[]): number {
    return sum(paths.map((path) => this.#file(path).size));
  }

  /** Returns whether the content has no other user: waits a short time for the cache to write it. */
  async owns(content: Bytes): Promise<boolean> {
    return !this.#written.has(content) || (await this.#cache.flushWrites());
  }

  /** Returns the number of bytes of the files when decompressed. */
  uncompressedSize(paths: readonly string[]): number {
    return sum(paths.map((path) => this.#file(path).uncompressedSize));
  }

  /** Returns the verified content of a file. `onBytes` is called with the count of new bytes, before decompression. */
  async get(path: string, onBytes: OnBytes = () => {}): Promise<Bytes> {
    const file = this.#file(path);
    if (file.parts.length > 0) return this.#joinParts(file, onBytes);
    const cached = await this.#readCached(file, onBytes);
    if (cached !== null) return cached;
    return this.#fetchOnce(file, onBytes).catch((error: unknown) => this.#failAfterWrites(error));
  }

  async #readCached(file: File, onBytes: OnBytes): Promise<Bytes | null> {
    const cached = await this.#cache.get(file);
    if (cached === null) return null;
    onBytes(file.size);
    if (cached.isDecompressed) return cached.bytes;
    const decompressor = new Decompressor(file);
    if (decompressor.isSlow) this.#slow.add(file);
    decompressor.push(cached.bytes);
    return decompressor.content(cached.bytes);
  }

  /**
   * Stores the decompressed content of files that a script had to decompress, for the next visit.
   * Decompresses them again while the page is idle: during the load it would take time and memory. Returns
   * early if `signal` fires.
   */
  async storeDecompressed(signal: AbortSignal): Promise<void> {
    for (const file of this.#slow) {
      const cached = await this.#cache.get(file);
      if (cached !== null && !cached.isDecompressed) {
        const content = await decompressInSteps(file, cached.bytes, signal);
        if (content === null) return;
        void this.#cache.putDecompressed(file, content);
      }
      this.#slow.delete(file);
    }
  }

  /** Returns the compiled engine that an earlier visit stored, null if there is none. */
  async compiledEngine(path: string, onBytes: OnBytes): Promise<WebAssembly.Module | null> {
    const file = this.#file(path);
    const module = this.#cache.isEnabled ? await compileServed(file) : null;
    if (module !== null) onBytes(file.size);
    return module;
  }

  /** Records that the bundle uses the engine that a service worker has served. */
  async renewServedEngine(path: string): Promise<void> {
    if (this.#cache.isEnabled) await storeServed(this.#locations.base, this.#file(path), null);
  }

  /** Stores the engine for the next visit, so that a service worker can serve it. Call it when idle. */
  async storeServedEngine(path: string): Promise<void> {
    // A file that is still being written seems invalid, and would be fetched again.
    if (!this.#cache.isEnabled || !(await this.#cache.flushWrites())) return;
    await storeServed(this.#locations.base, this.#file(path), await this.get(path));
  }

  /**
   * Throws the error after pending writes: the worker ends with a failed load, and complete files should be
   * stored first.
   */
  async #failAfterWrites(error: unknown): Promise<never> {
    if (!this.#signal.aborted) await this.#cache.flushWrites();
    throw error;
  }

  /**
   * Fetches and verifies a script that the browser then imports from the HTTP cache. An old or broken copy
   * there is replaced.
   */
  async checkScript(path: string, onBytes: OnBytes): Promise<void> {
    await this.#receive(this.#file(path), onBytes);
  }

  /**
   * Waits for another load or tab that fetches the file, then reads it from the cache. Reports its progress
   * meanwhile.
   */
  #fetchOnce(file: File, onBytes: OnBytes): Promise<Bytes> {
    if (!this.#cache.isEnabled) return this.#fetch(file, onBytes, () => {});
    const name = `webbuild ${file.sha256}`;
    const progress = new SharedProgress(name, onBytes);
    let writing = Promise.resolve();
    const work = async (): Promise<Bytes> =>
      (await this.#readCached(file, progress.onBytes)) ??
      (await this.#fetch(file, progress.onBytes, (started) => {
        writing = started;
      }));
    const limit = LIMITS.stall + file.size / SLOWEST_NETWORK;
    const turn = oneAtATime(name, { work, after: () => writing }, limit, this.#signal);
    return turn.finally(() => progress.close());
  }

  async #fetch(file: File, onBytes: OnBytes, onWrite: (writing: Promise<void>) => void): Promise<Bytes> {
    const { content, decompressor, isDecompressed } = await this.#receive(file, onBytes);
    onWrite(isDecompressed ? this.#cache.putDecompressed(file, content) : this.#cache.put(file, content));
    this.#written.add(content);
    if (isDecompressed) return content;
    if (decompressor.isSlow) this.#slow.add(file);
    return decompressor.content(content);
  }

  /**
   * Fetches and verifies a file. If it is not valid, fetches it once more without the HTTP cache, whose copy
   * may be old.
   */
  async #receive(file: File, onBytes: OnBytes): Promise<Received & { isDecompressed: boolean }> {
    const [url, signal] = [this.url(file.path), this.#signal];
    const first = await receive(url, file, onBytes, { signal });
    const isDecompressed = await verifyFile(file, first.content).catch(() => null);
    if (isDecompressed !== null) return { ...first, isDecompressed };
    const second = await receive(url, file, () => {}, { signal, cache: "reload" });
    return { ...second, isDecompressed: await verifyFile(file, second.content) };
  }

  /** Joins the parts of a file. Fetches one at a time, so that memory has only the file and one part. */
  async #joinParts(file: File, onBytes: OnBytes): Promise<Bytes> {
    const parts = this.#partsOf(file);
    const decompressedSize = sum(parts.map((part) => part.uncompressedSize));
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

  /** Returns the parts of a file. Throws `invalid-manifest` if their sizes do not add up. */
  #partsOf(file: File): File[] {
    const parts = file.parts.map((path) => this.#file(path));
    const size = sum(parts.map((part) => part.size));
    const decompressedSize = sum(parts.map((part) => part.uncompressedSize));
    if (size !== file.size || (file.quantization === "none" && decompressedSize !== file.uncompressedSize))
      throw badManifest(
        `the parts of ${file.path} are ${size} bytes, not ${file.size}, and hold ${decompressedSize} of ${file.uncompressedSize}`,
      );
    if (parts.some((part) => part.parts.length > 0)) throw badManifest(`${file.path} has parts of parts`);
    return parts;
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
