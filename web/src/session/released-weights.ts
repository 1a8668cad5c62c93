// External data (a weight file) that is freed chunk by chunk while the engine copies it, so that memory does
// not hold the weights twice.

import { freeBytes } from "../storage/free-bytes.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes of a chunk. Reading a tensor frees its chunks; the first and last may contain other tensors too. */
const CHUNK = 64 * 1024;

/**
 * The engine reads `byteLength` and calls `subarray()` for each tensor, in any order. A subclass of Uint8Array, because the
 * engine accepts nothing else.
 */
export class ReleasedWeights extends Uint8Array<ArrayBuffer> {
  readonly #chunks: (Bytes | null)[] = [];
  /** The memory of the last tensor, reused for the next: the engine copies each before it reads the next. */
  #lastRead: Bytes = new Uint8Array();
  #wasReadTwice = false;

  /** Takes and frees `content`: the caller must not use it afterwards. */
  constructor(content: Bytes) {
    super(new ArrayBuffer(0));
    Object.defineProperty(this, "byteLength", { value: content.byteLength });
    for (let at = 0; at < content.byteLength; at += CHUNK) this.#chunks.push(content.slice(at, at + CHUNK));
    freeBytes(content);
  }

  /** Whether the engine read freed bytes: it then gets an error, and creates no session. */
  get wasReadTwice(): boolean {
    return this.#wasReadTwice;
  }

  override subarray(begin = 0, end: number = this.byteLength): Bytes {
    if (this.#lastRead.byteLength < end - begin) {
      freeBytes(this.#lastRead);
      this.#lastRead = new Uint8Array(end - begin);
    }
    const tensor = this.#lastRead.subarray(0, end - begin);
    for (let index = Math.floor(begin / CHUNK); index * CHUNK < end; index++)
      this.#copyChunk(index, begin, end, tensor);
    return tensor;
  }

  /** Copies the part of a chunk between two offsets of the file, and frees the chunk if that is all of it. */
  #copyChunk(index: number, begin: number, end: number, tensor: Bytes): void {
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#wasReadTwice = true;
      throw new Error(`the bytes from ${begin} to ${end} were freed`);
    }
    const [from, to] = [begin - index * CHUNK, end - index * CHUNK];
    tensor.set(chunk.subarray(Math.max(0, from), to), Math.max(0, -from));
    if (from > 0 || to < chunk.byteLength) return;
    this.#chunks[index] = null;
    freeBytes(chunk);
  }
}
