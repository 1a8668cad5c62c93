// The files of bundles that this browser keeps, each under the hash of its content, whatever bundle it came with.
// Storage never decides whether a model loads: reading has a limit, and writing happens in the background.

import type { File } from "../manifest/manifest.js";
import { Queue } from "../worker/queue.js";
import { storageLimit, TimedOut, type Warn, withLimit } from "../worker/with-limit.js";
import { openBundle, removeOldest } from "./bundle-lists.js";
import { sha256 } from "./sha256.js";
import { type FileStore, openFileStore } from "./storage-backends.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of a bundle as it is stored there, or what is in it. */
interface KeptFile {
  bytes: Bytes;
  isDecompressed: boolean;
}

/** How storage is opened, how long an answer about so many bytes may take, and who hears that files are not kept. */
interface CacheOptions {
  open: () => Promise<FileStore | null>;
  limit: (bytes: number) => number;
  warn: Warn;
}

/** Milliseconds that a load which failed waits for what it fetched to be written. */
const LAST_WRITES = 2_000;
/**
 * Another tab or worker has a file locked, or changed it while it was read: what that one writes is as good. Or all was thrown
 * away just then.
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

  /** Opens what is kept for the bundle of the manifest at `base`. What no bundle needs any more goes in the background. */
  static async open(base: string, files: readonly File[], options: CacheOptions): Promise<FileCache> {
    if (!isSecureContext) return new FileCache(null, base, options);
    try {
      const store = await withLimit(options.open(), options.limit(0), "the browser's storage");
      const cache = new FileCache(store, base, options);
      const hashes = files.map((file) => file.sha256);
      void cache.#write(0, (to) => openBundle(to, base, hashes, options.limit(0)));
      return cache;
    } catch (error) {
      const none = new FileCache(null, base, options);
      none.#disable(error);
      return none;
    }
  }

  /** Keeps nothing. */
  static none(): FileCache {
    return new FileCache(
      null,
      "",
      defaultCacheOptions(() => {}),
    );
  }

  /** Whether what is put here may be found again. */
  get keeps(): boolean {
    return this.#store !== null && !this.#disabled;
  }

  /** Returns what is kept of a file; null where that is nothing, not whole, or storage does not answer. */
  async get(file: File): Promise<KeptFile | null> {
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
    // One that is not whole stays, until it is replaced: another tab may be writing it just now.
    return record === null ? null : whole(file, record);
  }

  /** Keeps a file whose hash was checked; nobody has to wait. Where there is no room, nothing more is kept. */
  put({ sha256: name, size }: File, stored: Bytes): Promise<void> {
    return this.#write(size, (store) => store.write(name, stored));
  }

  /** Keeps what is in a file instead, which was checked. */
  async putDecompressed(
    { sha256: name, uncompressedSize, uncompressedSha256 }: File,
    content: Bytes,
  ): Promise<void> {
    if (uncompressedSha256 === undefined) return; // the next visit could not check it
    await this.#write(uncompressedSize, (store) => store.write(name, content));
  }

  /**
   * Waits a short while for what is being written: after a load that failed nothing of the worker may be left. Returns
   * whether all of it is.
   */
  async flushWrites(): Promise<boolean> {
    const written = this.#writes.add(async () => true);
    return withLimit(written, LAST_WRITES, "writing").catch(() => false);
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

  /** Where there is no room, bundles that were not opened for a day make some. */
  async #writeWithRoom(store: FileStore, work: (store: FileStore) => Promise<void>): Promise<void> {
    try {
      await work(store);
    } catch (error) {
      const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
      if (!isFull || !(await removeOldest(store, this.#base, this.#options.limit(0)))) throw error;
      await this.#writeWithRoom(store, work);
    }
  }

  #disable(error: unknown): void {
    if (error instanceof DOMException && CHANGED_ELSEWHERE.includes(error.name)) return;
    if (this.#disabled) return;
    this.#disabled = true;
    const reason = error instanceof Error ? error.message : String(error);
    const fix =
      error instanceof TimedOut
        ? "nothing: the model runs all the same, and the next visit tries again"
        : "free space on this device; the model runs all the same";
    const message = `the browser does not keep the model for the next visit: ${reason}`;
    this.#options.warn({ code: "not-kept", message, fix });
  }
}

/** Returns a record as the file that it is of, stored or decompressed, null where it is neither. */
async function whole(file: File, record: Bytes): Promise<KeptFile | null> {
  const isDecompressed = record.byteLength !== file.size;
  const [size, hash] = isDecompressed
    ? [file.uncompressedSize, file.uncompressedSha256]
    : [file.size, file.sha256];
  return record.byteLength === size && (await sha256(record)) === hash
    ? { bytes: record, isDecompressed }
    : null;
}

/** The browser's own storage. */
export function defaultCacheOptions(warn: Warn): CacheOptions {
  return { open: openFileStore, limit: storageLimit, warn };
}
