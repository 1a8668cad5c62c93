// Files that are stored compressed: what they are when they are not. The browser undoes gzip, and zstd where it can;
// where it cannot, fzstd does, while the file still comes.

import { Decompress } from "fzstd";
import { corruptFile } from "../api/errors.js";
import type { File } from "../manifest/manifest.js";
import { allocate } from "./dequantize.js";
import { MAX_HEADER, zstdWindowSize } from "./zstd-window.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** What a decoder of zstd is to have room for: RFC 9659. */
const WINDOW = 8 * 2 ** 20;
const MAGIC = { identity: [], gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] } as const;

/** Bytes of a file that are decompressed at a time, where others are to have their turn between. */
const STEP = 32 * 1024;

/** Whether a file is as it is stored. A host that sends `Content-Encoding` has the browser inflate it on the way. */
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

  /** Returns what `stored`, all that was pushed, holds. Throws `corrupt-file` where that is not what it must be. */
  async content(stored: Bytes): Promise<Bytes> {
    const { encoding, uncompressedSize } = this.#file;
    if (encoding === "identity") return stored;
    const content = isEncoded(this.#file, stored) ? await this.#decompress(encoding, stored) : stored;
    if (content.byteLength === uncompressedSize) return content;
    const what = `${content.byteLength} bytes, wanted ${encoding} of ${uncompressedSize}, or those decompressed by the host`;
    throw corruptFile(this.#file.path, what);
  }

  async #decompress(encoding: string, stored: Bytes): Promise<Bytes> {
    try {
      return this.#zstd?.end() ?? (await decompressNatively(encoding, stored));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw corruptFile(this.#file.path, `it is no whole ${encoding} file: ${reason}`, { cause });
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
  readonly #frame: Decompress;
  /** What came until the head was whole, null after it. */
  #header: number[] | null = [];
  #length = 0;
  #error: unknown = null;

  constructor({ uncompressedSize, path }: File) {
    this.#content = allocate(uncompressedSize, path);
    this.#frame = new Decompress((block) => {
      this.#content.set(block, this.#length); // throws where there is more than there may be
      this.#length += block.byteLength;
    });
  }

  push(chunk: Bytes, last = false): void {
    if (this.#error !== null) return;
    try {
      const next = this.#afterHeader(chunk, last);
      if (next !== null) this.#frame.push(next, last);
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
    const all = new Uint8Array(this.#header.length + chunk.length);
    all.set(this.#header);
    all.set(chunk, this.#header.length);
    this.#header = null;
    return all;
  }
}

async function decompressNatively(encoding: string, stored: Bytes): Promise<Bytes> {
  const decompressed = new Blob([stored]).stream().pipeThrough(decompressionStream(encoding));
  return new Uint8Array(await new Response(decompressed).arrayBuffer());
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
