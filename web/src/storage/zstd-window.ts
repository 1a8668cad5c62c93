// Limits the memory and time of decoding a zstd frame, from its headers, before the decoder gets it.

type Bytes = Uint8Array<ArrayBuffer>;

/** The maximum bytes of a frame header, including the magic number. */
export const MAX_HEADER = 18;

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
/** Bytes of the fields Dictionary_ID and Frame_Content_Size, by their flags in the descriptor. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];

/** Returns the size of a frame's window in bytes: RFC 8878, section 3.1.1.1. */
export function zstdWindowSize(header: Bytes): number {
  const descriptor = header[4] ?? 0;
  if (!isSingleSegment(header)) {
    const exponent = header[5] ?? 0;
    return 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
  }
  const start = 5 + (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0);
  const length = contentSizeBytes(header);
  const size = header.subarray(start, start + length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return length === 2 ? size + 256 : size;
}

/**
 * Checks that a file is a single frame without too many blocks. The decoder would accept several frames, or a
 * skippable frame before one, each with its own window, and it copies the whole window for every block.
 */
export class ZstdFrame {
  readonly #maxBlocks: number;
  /** Bytes of the checksum after the last block. */
  readonly #checksum: number;
  /** Bytes until the next block begins. */
  #left: number;
  #blockHeader: number[] = [];
  #blocks = 0;
  #isOver = false;

  constructor(header: Bytes, maxBlocks: number) {
    if (!MAGIC.every((byte, at) => header[at] === byte)) throw new Error("it does not begin with a frame");
    const descriptor = header[4] ?? 0;
    const fields = (DICTIONARY_ID_BYTES[descriptor & 3] ?? 0) + contentSizeBytes(header);
    this.#left = 5 + fields + (isSingleSegment(header) ? 0 : 1);
    this.#checksum = descriptor & 4;
    this.#maxBlocks = maxBlocks;
  }

  /** Throws if the file continues after its frame, or has too many blocks. */
  push(chunk: Bytes): void {
    let at = 0;
    while (at < chunk.length) {
      const skipped = Math.min(this.#left, chunk.length - at);
      this.#left -= skipped;
      at += skipped;
      if (at === chunk.length) return;
      if (this.#isOver) throw new Error("there is data after its frame");
      this.#blockHeader.push(chunk[at++] ?? 0);
      if (this.#blockHeader.length === 3) this.#beginBlock();
    }
  }

  #beginBlock(): void {
    const [low = 0, middle = 0, high = 0] = this.#blockHeader.splice(0);
    const isRepeated = ((low >> 1) & 3) === 1;
    this.#isOver = (low & 1) === 1;
    this.#left =
      (isRepeated ? 1 : (low | (middle << 8) | (high << 16)) >> 3) + (this.#isOver ? this.#checksum : 0);
    this.#blocks += 1;
    if (this.#blocks > this.#maxBlocks) throw new Error(`more than ${this.#maxBlocks} blocks`);
  }
}

function isSingleSegment(header: Bytes): boolean {
  return ((header[4] ?? 0) & 0x20) !== 0;
}

function contentSizeBytes(header: Bytes): number {
  return CONTENT_SIZE_BYTES[(header[4] ?? 0) >> 6] || (isSingleSegment(header) ? 1 : 0);
}
