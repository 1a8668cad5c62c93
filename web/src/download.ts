// Files of the bundle: streamed, counted, checked against the manifest, inflated.

import { abortedError, corruptFile, WebbuildError } from "./errors.js";
import { sha256 } from "./hash.js";
import { Inflating, isStored } from "./inflate.js";
import type { KeptFiles } from "./kept-files.js";
import type { File } from "./manifest.js";
import { restore, room } from "./restore.js";

export type OnBytes = (count: number) => void;
type Bytes = Uint8Array<ArrayBuffer>;

/** Where files lie: beside the manifest, but for those with an address of their own. */
interface Place {
  base: string;
  addresses: Readonly<Record<string, string>>;
}

export class Downloads {
  readonly #place: Place;
  readonly #files: ReadonlyMap<string, File>;
  readonly #kept: KeptFiles;
  readonly #signal: AbortSignal;

  /** What `kept` has is not fetched; what is fetched it is given to keep. */
  constructor(place: Place, files: readonly File[], kept: KeptFiles, signal: AbortSignal) {
    this.#place = place;
    this.#files = new Map(files.map((file) => [file.path, file]));
    this.#kept = kept;
    this.#signal = signal;
  }

  /** The address of a file that has one of its own. */
  given(path: string): string | undefined {
    return this.#place.addresses[path];
  }

  url(path: string): string {
    return this.given(path) ?? new URL(path, this.#place.base).href;
  }

  /** Returns the bytes that the files take as they are stored. */
  size(paths: readonly string[]): number {
    return sum(paths.map((path) => this.#file(path).size));
  }

  /** Returns the checked content of a file. `onBytes` is told of its stored bytes as they come. */
  async get(path: string, onBytes: OnBytes = () => {}): Promise<Bytes> {
    const file = this.#file(path);
    if (file.parts.length > 0) return this.#join(file, onBytes);
    const kept = await this.#kept.get(file);
    if (kept === null) return this.#fetch(file, onBytes);
    onBytes(file.size);
    const inflating = new Inflating(file);
    inflating.push(kept);
    return inflating.content(kept);
  }

  /** Fetches a script that the browser will fetch again to run it: checked, and left to the HTTP cache. */
  async check(path: string, onBytes: OnBytes): Promise<void> {
    const file = this.#file(path);
    await verify(file, (await receive(this.url(path), file, onBytes, { signal: this.#signal })).stored);
  }

  /** A copy on the way that is old or broken is passed by: what is not as the manifest says is fetched anew, once. */
  async #fetch(file: File, onBytes: OnBytes): Promise<Bytes> {
    const [url, signal] = [this.url(file.path), this.#signal];
    let { stored, inflating } = await receive(url, file, onBytes, { signal });
    if (!isStored(file, stored)) return inflating.content(stored);
    if ((await difference(file, stored)) !== null)
      ({ stored, inflating } = await receive(url, file, () => {}, { signal, cache: "reload" }));
    await verify(file, stored);
    await this.#kept.keep(file, stored);
    return inflating.content(stored);
  }

  /** One part at a time: beside the whole, memory holds one of them. */
  async #join(file: File, onBytes: OnBytes): Promise<Bytes> {
    const parts = file.parts.map((path) => this.#file(path));
    const size = sum(parts.map((part) => part.size));
    const held = sum(parts.map((part) => part.inflated));
    if (size !== file.size || (file.form === "plain" && held !== file.inflated))
      throw badManifest(
        `the parts of ${file.path} are ${size} bytes, not ${file.size}, and hold ${held} of ${file.inflated}`,
      );
    if (parts.some((part) => part.parts.length > 0)) throw badManifest(`${file.path} has parts of parts`);
    const joined = room(held, file.path);
    let offset = 0;
    for (const { path, inflated } of parts) {
      const content = await this.get(path, onBytes);
      if (content.byteLength !== inflated)
        throw badManifest(`${path} holds ${content.byteLength} bytes, not ${inflated}`);
      joined.set(content, offset);
      offset += inflated;
    }
    return file.form === "int8" ? restore(joined, file.inflated, file.path) : joined;
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
  return new WebbuildError("bad-manifest", what, "pack the model again");
}

/** Counts at most `file.size`: a host that inflates sends more bytes than are stored. */
async function receive(
  url: string,
  file: File,
  onBytes: OnBytes,
  options: RequestInit,
): Promise<{ stored: Bytes; inflating: Inflating }> {
  let told = 0;
  const chunks: Bytes[] = [];
  const inflating = new Inflating(file);
  for await (const chunk of stream(url, file, options)) {
    chunks.push(chunk);
    inflating.push(chunk);
    const more = Math.min(chunk.byteLength, file.size - told);
    told += more;
    onBytes(more);
  }
  onBytes(file.size - told);
  return { stored: new Uint8Array(await new Blob(chunks).arrayBuffer()), inflating };
}

async function* stream(url: string, file: File, options: RequestInit): AsyncGenerator<Bytes> {
  try {
    const response = await fetch(url, options);
    if (!response.ok) throw new Error(`the server answered ${response.status} ${response.statusText}`.trim());
    const reader = response.body?.getReader();
    for (let part = await reader?.read(); part?.value; part = await reader?.read()) yield part.value;
  } catch (cause) {
    if (options.signal?.aborted) throw abortedError(options.signal);
    const why = cause instanceof Error ? cause.message : String(cause);
    const fix = `check the network, and that ${url} is deployed; what was fetched whole is not fetched again`;
    throw new WebbuildError("download-failed", `${file.path}: ${why}`, fix, { cause });
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
