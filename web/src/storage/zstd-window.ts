// How much memory and time a zstd frame asks for, before the decoder has seen anything of it.

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes after which the head of any frame is over. */
export const MAX_HEADER = 18;

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const DICTIONARY = [0, 1, 2, 4];
const CONTENT = [0, 2, 4, 8];

/** Bytes of the window, from the head of a frame: RFC 8878, section 3.1.1.1. */
export function zstdWindowSize(head: Bytes): number {
  const descriptor = head[4] ?? 0;
  if (!isSingleSegment(head)) {
    const exponent = head[5] ?? 0;
    return 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
  }
  const start = 5 + (DICTIONARY[descriptor & 3] ?? 0);
  const length = contentFieldSize(head);
  const size = head.subarray(start, start + length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return length === 2 ? size + 256 : size;
}

/**
 * Follows the blocks of a file, which is one frame. The decoder would take several, or one that comes after something to
 * be skipped, each with a window of its own; and it moves the whole window at every block.
 */
export class ZstdFrame {
  readonly #mostBlocks: number;
  readonly #checksum: number;
  /** Bytes until the next block begins. */
  #left: number;
  #blockHead: number[] = [];
  #blocks = 0;
  #isOver = false;

  constructor(head: Bytes, mostBlocks: number) {
    if (!MAGIC.every((byte, at) => head[at] === byte)) throw new Error("it does not begin with a frame");
    const descriptor = head[4] ?? 0;
    const fields = (DICTIONARY[descriptor & 3] ?? 0) + contentFieldSize(head);
    this.#left = 5 + fields + (isSingleSegment(head) ? 0 : 1);
    this.#checksum = descriptor & 4;
    this.#mostBlocks = mostBlocks;
  }

  /** Throws where the file goes on after its frame, or has more blocks than it may. */
  push(chunk: Bytes): void {
    let at = 0;
    while (at < chunk.length) {
      const passed = Math.min(this.#left, chunk.length - at);
      this.#left -= passed;
      at += passed;
      if (at === chunk.length) return;
      if (this.#isOver) throw new Error("something comes after its frame");
      this.#blockHead.push(chunk[at++] ?? 0);
      if (this.#blockHead.length === 3) this.#beginBlock();
    }
  }

  #beginBlock(): void {
    const [low = 0, middle = 0, high = 0] = this.#blockHead.splice(0);
    const isRepeated = ((low >> 1) & 3) === 1;
    this.#isOver = (low & 1) === 1;
    this.#left =
      (isRepeated ? 1 : (low | (middle << 8) | (high << 16)) >> 3) + (this.#isOver ? this.#checksum : 0);
    this.#blocks += 1;
    if (this.#blocks > this.#mostBlocks) throw new Error(`more than ${this.#mostBlocks} blocks`);
  }
}

function isSingleSegment(head: Bytes): boolean {
  return ((head[4] ?? 0) & 0x20) !== 0;
}

function contentFieldSize(head: Bytes): number {
  return CONTENT[(head[4] ?? 0) >> 6] || (isSingleSegment(head) ? 1 : 0);
}
