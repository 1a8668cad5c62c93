// Files of the bundle: streamed, counted, checked against the manifest, decompressed.

import { corruptFile, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { LIMITS } from "../worker/with-limit.js";
import { Decompressor, decompressInSteps, isEncoded } from "./decompress.js";
import { allocate, dequantize } from "./dequantize.js";
import type { FileCache } from "./file-cache.js";
import { oneAtATime } from "./one-at-a-time.js";
import { type OnBytes, type Received, receive } from "./receive.js";
import { compileServed, serveEngine } from "./served-engine.js";
import { sha256 } from "./sha256.js";
import { SharedProgress } from "./shared-progress.js";

export type { OnBytes } from "./receive.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes per millisecond at which what another tab fetches is waited for. */
const SLOWEST_NETWORK = 1_000;

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

  /** What was given to the cache to be written. */
  readonly #written = new WeakSet<Bytes>();

  /** What `cache` has is not fetched; what is fetched it is given to keep. */
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
    throw badManifest(`${path} is no address`);
  }

  /** Returns the path of a file of the runtime, such as `runtime/worker.js`: a site has it above its bundles. */
  runtimePath(name: string): string {
    return [...this.#files.keys()].find((path) => path === `../${name}`) ?? name;
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
    const kept = await this.#readKept(file, onBytes);
    if (kept !== null) return kept;
    return this.#fetchOnce(file, onBytes).catch((error: unknown) => this.#failed(error));
  }

  async #readKept(file: File, onBytes: OnBytes): Promise<Bytes | null> {
    const kept = await this.#cache.get(file);
    if (kept === null) return null;
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
        void this.#cache.putDecompressed(file, content);
      }
      this.#slow.delete(file);
    }
  }

  /** Returns the engine as an earlier visit left it for this one, compiled; null where it did not. */
  async compiledEngine(path: string, onBytes: OnBytes): Promise<WebAssembly.Module | null> {
    const file = this.#file(path);
    const module = this.#cache.keeps ? await compileServed(file) : null;
    if (module !== null) onBytes(file.size);
    return module;
  }

  /** Leaves the engine for the next visit in the form of which the browser keeps compiled code. For when nobody waits. */
  async serveEngine(path: string): Promise<void> {
    // What is read while it is being written is not whole: it would be thrown away, and fetched again.
    if (!this.#cache.keeps || !(await this.#cache.flushWrites())) return;
    await serveEngine(this.#locations.base, this.#file(path), await this.get(path));
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
    await this.#receive(this.#file(path), onBytes);
  }

  /** What another load or tab fetches just now is taken from the cache when that has it; meanwhile its bytes are reported. */
  #fetchOnce(file: File, onBytes: OnBytes): Promise<Bytes> {
    if (!this.#cache.keeps) return this.#fetch(file, onBytes, () => {});
    const name = `webbuild ${file.sha256}`;
    const progress = new SharedProgress(name, onBytes);
    let writing = Promise.resolve();
    const work = async (): Promise<Bytes> =>
      (await this.#readKept(file, progress.onBytes)) ??
      (await this.#fetch(file, progress.onBytes, (begun) => {
        writing = begun;
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

  /** A copy on the way that is old or broken is passed by: what is not as the manifest says is fetched again, once. */
  async #receive(file: File, onBytes: OnBytes): Promise<Received & { isDecompressed: boolean }> {
    const [url, signal] = [this.url(file.path), this.#signal];
    const first = await receive(url, file, onBytes, { signal });
    const isDecompressed = await checkForm(file, first.content).catch(() => null);
    if (isDecompressed !== null) return { ...first, isDecompressed };
    const second = await receive(url, file, () => {}, { signal, cache: "reload" });
    return { ...second, isDecompressed: await checkForm(file, second.content) };
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

/** Returns whether a file came decompressed. Throws `corrupt-file` where neither form is the manifest's. */
async function checkForm(file: File, content: Bytes): Promise<boolean> {
  const { encoding, size, sha256: hash, uncompressedSize, uncompressedSha256, path } = file;
  const wrong = await difference(content, size, hash);
  if (wrong === null) return false;
  if (encoding === "identity" || isEncoded(file, content)) throw corruptFile(path, wrong);
  if (uncompressedSha256 === undefined && content.byteLength === uncompressedSize) throw uncheckable(path);
  const wrongInside = await difference(content, uncompressedSize, uncompressedSha256);
  if (wrongInside === null) return true;
  throw corruptFile(path, `neither as stored, ${wrong}, nor decompressed by the host, ${wrongInside}`);
}

/** An older webbuild wrote no hash of what is in a file. */
function uncheckable(path: string): WebbuildError {
  const message = `${path} came decompressed by the host, and the manifest has no hash of it so`;
  const fix =
    "pack the model again with this version of webbuild, or have the host send the file as it is stored";
  return new WebbuildError("corrupt-file", message, fix);
}

/** Returns how content is not that of the manifest, null where it is. */
async function difference(content: Bytes, size: number, hash: string | undefined): Promise<string | null> {
  if (content.byteLength !== size) return `${content.byteLength} bytes, wanted ${size}`;
  // Pages that are neither https nor localhost have no WebCrypto: their size is all that can be checked.
  if (!isSecureContext) return null;
  const got = await sha256(content);
  return got === hash ? null : `sha256 ${got}, wanted ${hash}`;
}
