// A file of weights that is freed while the engine takes it: as the engine's copy grows, this one shrinks.

import { freeBytes } from "../storage/free-bytes.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A tensor frees what it covers whole; what holds the end of one stays, to be read again. */
const CHUNK = 64 * 1024;

/**
 * The engine asks a file of external data for its `byteLength`, and for one `subarray` after another: those of the tensors,
 * in no order. It is a Uint8Array, as the engine takes no other object.
 */
export class ReleasedWeights extends Uint8Array<ArrayBuffer> {
  readonly #chunks: (Bytes | null)[] = [];
  /** What was taken last: the engine copies it before it takes more. */
  #taken: Bytes = new Uint8Array();
  #isAskedAgain = false;

  /** The content is freed: nobody else may need it. */
  constructor(content: Bytes) {
    super(new ArrayBuffer(0));
    Object.defineProperty(this, "byteLength", { value: content.byteLength });
    for (let at = 0; at < content.byteLength; at += CHUNK) this.#chunks.push(content.slice(at, at + CHUNK));
    freeBytes(content);
  }

  /** Whether the engine wanted bytes a second time: it does not get them, and makes no session. */
  get isAskedAgain(): boolean {
    return this.#isAskedAgain;
  }

  override subarray(begin = 0, end: number = this.byteLength): Bytes {
    if (this.#taken.byteLength < end - begin) {
      freeBytes(this.#taken);
      this.#taken = new Uint8Array(end - begin);
    }
    const taken = this.#taken.subarray(0, end - begin);
    for (let index = Math.floor(begin / CHUNK); index * CHUNK < end; index++)
      this.#take(index, begin, end, taken);
    return taken;
  }

  /** Copies what a chunk has between two bytes of the file. */
  #take(index: number, begin: number, end: number, taken: Bytes): void {
    const chunk = this.#chunks[index];
    if (!chunk) {
      this.#isAskedAgain = true;
      throw new Error(`the bytes from ${begin} to ${end} were freed`);
    }
    const [from, to] = [begin - index * CHUNK, end - index * CHUNK];
    taken.set(chunk.subarray(Math.max(0, from), to), Math.max(0, -from));
    if (from > 0 || to < chunk.byteLength) return;
    this.#chunks[index] = null;
    freeBytes(chunk);
  }
}
