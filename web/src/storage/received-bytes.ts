// Collects the chunks of a download in one array of the expected size, so that memory does not hold the file twice.

import { allocate } from "./dequantize.js";

type Bytes = Uint8Array<ArrayBuffer>;

export class ReceivedBytes {
  #content: Bytes;
  #length = 0;

  /** `size` is the expected size; the content may be longer or shorter. */
  constructor(
    size: number,
    readonly path: string,
  ) {
    this.#content = allocate(size, path);
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  push(chunk: Bytes): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#content.byteLength) this.#grow(Math.max(length, 2 * this.#length));
    this.#content.set(chunk, this.#length);
    this.#length = length;
  }

  /** Returns the bytes so far. */
  content(): Bytes {
    return this.#length === this.#content.byteLength ? this.#content : this.#content.slice(0, this.#length);
  }

  #grow(size: number): void {
    const larger = allocate(size, this.path);
    larger.set(this.#content.subarray(0, this.#length));
    this.#content = larger;
  }
}
