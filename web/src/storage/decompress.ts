// Files that are stored compressed: what they are when they are not. The browser undoes gzip, and zstd where it can;
// where it cannot, fzstd does, while the file still comes.

import { Decompress } from "fzstd";
import { corruptFile, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { allocate } from "./dequantize.js";
import { ReceivedBytes } from "./received-bytes.js";
import { MAX_HEADER, ZstdFrame, zstdWindowSize } from "./zstd-window.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a decoder of zstd is to have room for: RFC 9659. */
const WINDOW = 8 * 2 ** 20;
const MAGIC = { identity: [], gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

/** Bytes of content that a block holds at the least, but for some: encoders fill 128 KiB, or split that in a few. */
const SMALL_BLOCK = 1024;
const SMALL_BLOCKS = 256;

/** Bytes of a file that are decompressed at a time, where others are to have their turn between. */
const STEP = 32 * 1024;

/** Whether a file begins as it is stored. A host that sends `Content-Encoding` has the browser decompress it on the way. */
export function isEncoded({ encoding }: File, content: Bytes): boolean {
  return MAGIC[encoding].every((byte, index) => content[index] === byte);
}

/** What takes in a file as it comes, and gives what is in it once the whole was checked. */
export class Decompressor {
  readonly #file: File;
  readonly #zstd: ZstdDecompressor | null;

  constructor(file: File) {
    this.#file = file;
    this.#zstd = file.encoding === "zstd" && !supportsZstd() ? new ZstdDecompressor(file) : null;
  }

  /** Whether the browser cannot undo it, and a script does: that takes long. */
  get isSlow(): boolean {
    return this.#zstd !== null;
  }

  push(chunk: Bytes): void {
    this.#zstd?.push(chunk);
  }

  /** Returns what `stored`, all that was pushed, holds. Throws `corrupt-file` where that is not as large as it must be. */
  async content(stored: Bytes): Promise<Bytes> {
    const { encoding, uncompressedSize, path } = this.#file;
    if (encoding === "identity") return stored;
    try {
      const content = this.#zstd?.end() ?? (await decompressNatively(this.#file, stored));
      if (content.byteLength === uncompressedSize) return content;
      throw new Error(`it holds ${content.byteLength} bytes, not ${uncompressedSize}`);
    } catch (cause) {
      if (cause instanceof WebbuildError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw corruptFile(path, `it is no whole ${encoding} file: ${reason}`, { cause });
    }
  }
}

/** Returns what `stored` holds, null where `signal` fires before. The thread is free for other work between the steps. */
export async function decompressInSteps(
  file: File,
  stored: Bytes,
  signal: AbortSignal,
): Promise<Bytes | null> {
  const decompressor = new Decompressor(file);
  for (let start = 0; start < stored.length; start += STEP) {
    decompressor.push(stored.subarray(start, start + STEP));
    await new Promise((resolve) => setTimeout(resolve));
    if (signal.aborted) return null;
  }
  return decompressor.content(stored);
}

/** One zstd file, into memory of the size that the manifest gives. An error waits until what was pushed is asked for. */
class ZstdDecompressor {
  readonly #content: Bytes;
  readonly #decoder: Decompress;
  #frame: ZstdFrame | null = null;
  /** What came until the head was whole, null after it. */
  #header: number[] | null = [];
  #length = 0;
  #error: unknown = null;

  constructor({ uncompressedSize, path }: File) {
    this.#content = allocate(uncompressedSize, path);
    this.#decoder = new Decompress((block) => {
      this.#content.set(block, this.#length); // throws where there is more than there may be
      this.#length += block.byteLength;
    });
  }

  push(chunk: Bytes, last = false): void {
    if (this.#error !== null) return;
    try {
      const next = this.#afterHeader(chunk, last);
      if (next === null) return;
      this.#frame?.push(next);
      this.#decoder.push(next, last);
    } catch (error) {
      this.#error = error;
    }
  }

  end(): Bytes {
    this.push(new Uint8Array(0), true);
    if (this.#error !== null) throw this.#error;
    return this.#content.subarray(0, this.#length);
  }

  /** Returns what the decoder may have: nothing before it is known how much memory it will take. */
  #afterHeader(chunk: Bytes, last: boolean): Bytes | null {
    if (this.#header === null) return chunk;
    const came = Uint8Array.of(...this.#header, ...chunk.subarray(0, MAX_HEADER));
    if (came.length < MAX_HEADER && !last) {
      this.#header.push(...chunk);
      return null;
    }
    const asked = zstdWindowSize(came);
    if (asked > Math.max(WINDOW, this.#content.byteLength)) throw new Error(`a window of ${asked} bytes`);
    this.#frame = new ZstdFrame(came, SMALL_BLOCKS + Math.ceil(this.#content.byteLength / SMALL_BLOCK));
    const all = new Uint8Array(this.#header.length + chunk.length);
    all.set(this.#header);
    all.set(chunk, this.#header.length);
    this.#header = null;
    return all;
  }
}

/** Stops where more comes out than the manifest says: a few bytes may stand for gigabytes. */
async function decompressNatively({ encoding, uncompressedSize, path }: File, stored: Bytes): Promise<Bytes> {
  const content = new ReceivedBytes(uncompressedSize, path);
  const reader = new Blob([stored]).stream().pipeThrough(decompressionStream(encoding)).getReader();
  for (let part = await reader.read(); part.value; part = await reader.read()) {
    if (content.length + part.value.byteLength > uncompressedSize) {
      await reader.cancel();
      throw new Error(`it holds more than ${uncompressedSize} bytes`);
    }
    content.push(part.value);
  }
  return content.content();
}

/** TypeScript's DOM does not know zstd yet. */
function decompressionStream(encoding: string): DecompressionStream {
  return new DecompressionStream(encoding as CompressionFormat);
}

function supportsZstd(): boolean {
  try {
    decompressionStream("zstd");
    return true;
  } catch {
    return false;
  }
}
