// A file that comes in chunks, put where it stays: beside it, memory holds one chunk.

import { allocate } from "./dequantize.js";

type Bytes = Uint8Array<ArrayBuffer>;

export class ReceivedBytes {
  #content: Bytes;
  #length = 0;

  /** `size` is what is expected. A host that decompresses sends more, one that has another file less. */
  constructor(
    size: number,
    readonly path: string,
  ) {
    this.#content = allocate(size, path);
  }

  /** Bytes that came. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Bytes): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#content.byteLength) this.#grow(Math.max(length, 2 * this.#length));
    this.#content.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns what came. */
  content(): Bytes {
    return this.#length === this.#content.byteLength ? this.#content : this.#content.slice(0, this.#length);
  }

  #grow(size: number): void {
    const larger = allocate(size, this.path);
    larger.set(this.#content.subarray(0, this.#length));
    this.#content = larger;
  }
}
