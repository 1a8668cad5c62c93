// Decompresses the files of a bundle. The browser decompresses gzip, and zstd if it can; otherwise fzstd
// does, during the download.

import { Decompress } from "fzstd";
import { corruptFile, errorMessage, WebbuildError } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { allocate } from "./dequantize.js";
import { ReceivedBytes } from "./received-bytes.js";
import { MAX_HEADER, ZstdFrame, zstdWindowSize } from "./zstd-window.js";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The window that a zstd decoder must support: RFC 9659. A larger one is rejected if it also exceeds the
 * content.
 */
const MAX_WINDOW = 8 * 2 ** 20;
const MAGIC = { identity: [], gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

/** A frame may have a block for every MIN_BLOCK bytes of content, and EXTRA_BLOCKS more. Encoders fill blocks of 128 KiB. */
const MIN_BLOCK = 1024;
const EXTRA_BLOCKS = 256;

/** Bytes that decompressInSteps() decompresses before it lets other work run. */
const STEP = 32 * 1024;

/** Whether the content is still encoded. With `Content-Encoding`, the browser has already decompressed it. */
export function isEncoded({ encoding }: File, content: Bytes): boolean {
  return MAGIC[encoding].every((byte, index) => content[index] === byte);
}

/** Decompresses a file while it downloads. Read its content only after the whole file's hash was checked. */
export class Decompressor {
  readonly #file: File;
  readonly #zstd: ZstdDecompressor | null;

  constructor(file: File) {
    this.#file = file;
    this.#zstd = file.encoding === "zstd" && !supportsZstd() ? new ZstdDecompressor(file) : null;
  }

  /** Whether a script decompresses the file, because the browser cannot. */
  get isSlow(): boolean {
    return this.#zstd !== null;
  }

  push(chunk: Bytes): void {
    this.#zstd?.push(chunk);
  }

  /** Returns the content of `stored`, which is everything that was pushed. Throws `corrupt-file` if its size is wrong. */
  async content(stored: Bytes): Promise<Bytes> {
    const { encoding, uncompressedSize, path } = this.#file;
    if (encoding === "identity") return stored;
    try {
      const content = this.#zstd?.end() ?? (await decompressNatively(this.#file, stored));
      if (content.byteLength === uncompressedSize) return content;
      throw new Error(`it holds ${content.byteLength} bytes, not ${uncompressedSize}`);
    } catch (cause) {
      if (cause instanceof WebbuildError) throw cause;
      const reason = errorMessage(cause);
      throw corruptFile(path, `it is not a complete ${encoding} file: ${reason}`, { cause });
    }
  }
}

/** Returns the content of `stored`; null if `signal` fires first. The thread does other work in between. */
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

/** Decompresses a zstd file into memory of the manifest's size. `end()` throws the errors. */
class ZstdDecompressor {
  readonly #content: Bytes;
  readonly #decoder: Decompress;
  #frame: ZstdFrame | null = null;
  /** The bytes so far, until the frame header is complete; then null. */
  #header: number[] | null = [];
  #length = 0;
  #error: unknown = null;

  constructor({ uncompressedSize, path }: File) {
    this.#content = allocate(uncompressedSize, path);
    this.#decoder = new Decompress((block) => {
      this.#content.set(block, this.#length); // throws if it does not fit
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

  /** Returns the bytes to decode; null until the header is complete: it says how much memory is needed. */
  #afterHeader(chunk: Bytes, last: boolean): Bytes | null {
    if (this.#header === null) return chunk;
    const header = Uint8Array.of(...this.#header, ...chunk.subarray(0, MAX_HEADER));
    if (header.length < MAX_HEADER && !last) {
      this.#header.push(...chunk);
      return null;
    }
    const window = zstdWindowSize(header);
    if (window > Math.max(MAX_WINDOW, this.#content.byteLength))
      throw new Error(`a window of ${window} bytes`);
    this.#frame = new ZstdFrame(header, EXTRA_BLOCKS + Math.ceil(this.#content.byteLength / MIN_BLOCK));
    const all = new Uint8Array(this.#header.length + chunk.length);
    all.set(this.#header);
    all.set(chunk, this.#header.length);
    this.#header = null;
    return all;
  }
}

/** Stops when the content exceeds the manifest's size: a few bytes may decompress to gigabytes. */
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

/** TypeScript's DOM library does not have zstd yet. */
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
