// The bundle files that this browser stores, by the hash of their content, shared by all bundles. A storage
// failure never stops a load: reading has a time limit, and writing happens in the background.

import { errorMessage } from "../api/errors.js";
import type { Warn } from "../api/warn.js";
import type { File } from "../manifest/manifest.js";
import { Queue } from "../worker/queue.js";
import { storageLimit, TimedOut, withLimit } from "../worker/with-limit.js";
import { openBundle, removeOldest } from "./bundle-lists.js";
import { deleteFindings } from "./findings.js";
import { sha256 } from "./sha256.js";
import { type FileStore, openFileStore } from "./storage-backends.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A cached file of a bundle, as in the bundle or decompressed. */
interface CachedFile {
  bytes: Bytes;
  isDecompressed: boolean;
}

interface CacheOptions {
  /** Opens the browser's storage. */
  open: () => Promise<FileStore | null>;
  /** The time limit for reading or writing this many bytes. */
  limit: (bytes: number) => number;
  /** Receives the warning that files are not stored. */
  warn: Warn;
}

/** The milliseconds that flushWrites() waits at most. */
const FLUSH_LIMIT = 2_000;
/**
 * Errors that do not disable the cache: another tab or worker has locked the file, changed it, or deleted the
 * storage. Its content is the same.
 */
const CHANGED_ELSEWHERE = ["NoModificationAllowedError", "NotReadableError", "NotFoundError"];

export class FileCache {
  readonly #store: FileStore | null;
  readonly #base: string;
  readonly #options: CacheOptions;
  /** One write at a time. */
  readonly #writes = new Queue();
  #disabled = false;

  private constructor(store: FileStore | null, base: string, options: CacheOptions) {
    this.#store = store;
    this.#base = base;
    this.#options = options;
  }

  /** Opens the cache for the bundle with the manifest at `base`. Deletes files that no bundle needs, in the background. */
  static async open(base: string, files: readonly File[], options: CacheOptions): Promise<FileCache> {
    if (!isSecureContext) return new FileCache(null, base, options);
    try {
      const store = await withLimit(options.open(), options.limit(0), "the browser's storage");
      const cache = new FileCache(store, base, options);
      const hashes = files.map((file) => file.sha256);
      void cache.#write(0, async (to) =>
        removeFindings(await openBundle(to, base, hashes, options.limit(0))),
      );
      return cache;
    } catch (error) {
      const none = new FileCache(null, base, options);
      none.#disable(error);
      return none;
    }
  }

  /** Returns a cache that stores nothing. */
  static none(): FileCache {
    return new FileCache(
      null,
      "",
      defaultCacheOptions(() => {}),
    );
  }

  /** Whether files are stored. */
  get isEnabled(): boolean {
    return this.#store !== null && !this.#disabled;
  }

  /** Returns a file; null if it is not stored, not valid, or storage does not respond. */
  async get(file: File): Promise<CachedFile | null> {
    if (this.#store === null || this.#disabled) return null;
    const { path, sha256: name, uncompressedSize } = file;
    const reading = withLimit(
      this.#store.read(name),
      this.#options.limit(uncompressedSize),
      `reading ${path}`,
    );
    const record = await reading.catch((error: unknown) => {
      if (error instanceof TimedOut) this.#disable(error);
      return null;
    });
    // An invalid record is not deleted: another tab may be writing it.
    return record === null ? null : validated(file, record);
  }

  /** Stores a file whose hash was checked. It need not be awaited. Without space the cache is disabled. */
  put({ sha256: name, size }: File, stored: Bytes): Promise<void> {
    return this.#write(size, (store) => store.write(name, stored));
  }

  /** Replaces a file by its decompressed content, after checking it. */
  async putDecompressed(
    { sha256: name, uncompressedSize, uncompressedSha256 }: File,
    content: Bytes,
  ): Promise<void> {
    if (uncompressedSha256 === undefined) return; // the next visit could not check it
    await this.#write(uncompressedSize, (store) => store.write(name, content));
  }

  /**
   * Waits a short time for pending writes: after a failed load the worker may be terminated. Returns whether
   * all have ended.
   */
  async flushWrites(): Promise<boolean> {
    const written = this.#writes.add(async () => true);
    return withLimit(written, FLUSH_LIMIT, "writing").catch(() => false);
  }

  async #write(size: number, work: (store: FileStore) => Promise<void>): Promise<void> {
    const store = this.#store;
    if (store === null || this.#disabled) return;
    await this.#writes.add(async () => {
      if (this.#disabled) return;
      const writing = this.#writeWithRoom(store, work);
      const limited = withLimit(writing, this.#options.limit(size), "the browser's storage");
      await limited.catch((error: unknown) => this.#disable(error));
    });
  }

  /** If there is no space, deletes bundles that were not opened for a day. */
  async #writeWithRoom(store: FileStore, work: (store: FileStore) => Promise<void>): Promise<void> {
    try {
      await work(store);
    } catch (error) {
      const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
      if (!isFull) throw error;
      const removed = await removeOldest(store, this.#base, this.#options.limit(0));
      if (removed.length === 0) throw error;
      removeFindings(removed);
      await this.#writeWithRoom(store, work);
    }
  }

  #disable(error: unknown): void {
    if (error instanceof DOMException && CHANGED_ELSEWHERE.includes(error.name)) return;
    if (this.#disabled) return;
    this.#disabled = true;
    const reason = errorMessage(error);
    const fix =
      error instanceof TimedOut
        ? "nothing to do: the model runs, and the next visit tries again"
        : "free space on this device; the model runs without it";
    const message = `the browser does not store the model for the next visit: ${reason}`;
    this.#options.warn({ code: "not-kept", message, fix });
  }
}

/** Deletes the findings of deleted bundles, in the background. */
function removeFindings(manifests: readonly string[]): void {
  for (const manifest of manifests) void deleteFindings(manifest).catch(() => {});
}

/** Returns the record as a file, compressed or decompressed; null if it has neither hash. */
async function validated(file: File, record: Bytes): Promise<CachedFile | null> {
  const isDecompressed = record.byteLength !== file.size;
  const [size, hash] = isDecompressed
    ? [file.uncompressedSize, file.uncompressedSha256]
    : [file.size, file.sha256];
  return record.byteLength === size && (await sha256(record)) === hash
    ? { bytes: record, isDecompressed }
    : null;
}

/** Returns the options for the browser's own storage. */
export function defaultCacheOptions(warn: Warn): CacheOptions {
  return { open: openFileStore, limit: storageLimit, warn };
}
