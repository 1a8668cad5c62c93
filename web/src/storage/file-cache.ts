// The files of bundles that this browser keeps, each under the hash of its content, whatever bundle it came with.
// Storage never decides whether a model loads: reading has a limit, and writing happens in the background.

import type { File } from "../manifest/manifest.js";
import { Queue } from "../worker/queue.js";
import { storageLimit, TimedOut, type Warn, withLimit } from "../worker/with-limit.js";
import { sha256 } from "./sha256.js";
import { type FileStore, openFileStore } from "./storage-backends.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A file of a bundle as it is stored there, or what is in it. */
export interface KeptFile {
  bytes: Bytes;
  isDecompressed: boolean;
}

/** How storage is opened, how long an answer about so many bytes may take, and who hears that files are not kept. */
export interface CacheOptions {
  open: () => Promise<FileStore | null>;
  limit: (bytes: number) => number;
  warn: Warn;
}

/** A list of hashes for each bundle: what is on none of them is thrown away. */
const INDEX_PREFIX = "bundle-";
/** Bytes of a SHA-256. Decompressed content has its own behind it: the manifest has that of the stored file. */
const HASH = 32;
/** Milliseconds that a load which failed waits for what it fetched to be written. */
const LAST_WRITES = 2_000;

export class FileCache {
  readonly #store: FileStore | null;
  readonly #options: CacheOptions;
  /** One write at a time. */
  readonly #writes = new Queue();
  #disabled = false;

  private constructor(store: FileStore | null, options: CacheOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** Opens what is kept for the bundle of a manifest. What no bundle has any more is thrown away in the background. */
  static async open(base: string, files: readonly File[], options: CacheOptions): Promise<FileCache> {
    if (!isSecureContext) return new FileCache(null, options);
    try {
      const store = await withLimit(options.open(), options.limit(0), "the browser's storage");
      const cache = new FileCache(store, options);
      cache.#write(0, (to) => evictUnused(to, base, files));
      return cache;
    } catch (error) {
      const none = new FileCache(null, options);
      none.#disable(error);
      return none;
    }
  }

  /** Keeps nothing. */
  static none(): FileCache {
    return new FileCache(
      null,
      defaultCacheOptions(() => {}),
    );
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
    if (record === null) return null;
    const kept = await whole(file, record);
    if (kept === null) this.#write(0, (store) => store.remove(name));
    return kept;
  }

  /** Keeps a file whose hash was checked. Returns at once. Where there is no room, nothing more is kept. */
  put({ sha256: name, size }: File, stored: Bytes): void {
    this.#write(size, (store) => store.write(name, stored));
  }

  /** Keeps what is in a file instead, which was checked before it was decompressed. Returns at once. */
  putDecompressed({ sha256: name, uncompressedSize }: File, content: Bytes): void {
    this.#write(uncompressedSize, async (store) =>
      store.write(name, content, hashBytes(await sha256(content))),
    );
  }

  /**
   * Waits a short while for what is being written: after a load that failed nothing of the worker may be left. Returns
   * whether all of it is.
   */
  async flushWrites(): Promise<boolean> {
    const written = this.#writes.add(async () => true);
    return withLimit(written, LAST_WRITES, "writing").catch(() => false);
  }

  #write(size: number, work: (store: FileStore) => Promise<void>): void {
    const store = this.#store;
    if (store === null || this.#disabled) return;
    void this.#writes.add(async () => {
      if (this.#disabled) return;
      const writing = withLimit(work(store), this.#options.limit(size), "the browser's storage");
      await writing.catch((error: unknown) => this.#disable(error));
    });
  }

  /** Another tab that writes the same file has it locked: what it writes is as good. */
  #disable(error: unknown): void {
    if (error instanceof DOMException && error.name === "NoModificationAllowedError") return;
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

/** Returns a record as the file that it is of, null where it is not that. */
async function whole(
  { sha256: expected, size, uncompressedSize }: File,
  record: Bytes,
): Promise<KeptFile | null> {
  if (record.byteLength === size && (await sha256(record)) === expected)
    return { bytes: record, isDecompressed: false };
  if (record.byteLength !== uncompressedSize + HASH) return null;
  const [content, hash] = [record.subarray(0, -HASH), record.subarray(-HASH)];
  const same = hashBytes(await sha256(content)).every((byte, index) => byte === hash[index]);
  return same ? { bytes: content, isDecompressed: true } : null;
}

function hashBytes(hex: string): Bytes {
  return Uint8Array.from({ length: HASH }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16),
  );
}

/** The browser's own storage. */
export function defaultCacheOptions(warn: Warn): CacheOptions {
  return { open: openFileStore, limit: storageLimit, warn };
}

async function evictUnused(store: FileStore, base: string, files: readonly File[]): Promise<void> {
  const ownIndex = `${INDEX_PREFIX}${await sha256(new TextEncoder().encode(base))}`;
  const list = new TextEncoder().encode(JSON.stringify(files.map((file) => file.sha256)));
  const previous = await store.read(ownIndex);
  if (previous !== null && (await sha256(previous)) === (await sha256(list))) return;
  await store.write(ownIndex, list);
  const names = await store.names();
  const lists = await Promise.all(
    names.filter((name) => name.startsWith(INDEX_PREFIX)).map((name) => store.read(name)),
  );
  const used = new Set(lists.flatMap((each) => hashes(each)));
  const unused = names.filter((name) => !name.startsWith(INDEX_PREFIX) && !used.has(name));
  await Promise.all(unused.map((name) => store.remove(name)));
}

function hashes(list: Bytes | null): string[] {
  try {
    return JSON.parse(new TextDecoder().decode(list ?? new Uint8Array())) as string[];
  } catch {
    return [];
  }
}
