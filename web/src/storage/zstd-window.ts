// How much memory a zstd frame asks for, before it has shown anything of what is in it.

type Bytes = Uint8Array<ArrayBuffer>;

/** Bytes after which the head of any frame is over. */
export const MAX_HEADER = 18;

const DICTIONARY = [0, 1, 2, 4];
const CONTENT = [0, 2, 4, 8];

/** Bytes of the window, from the head of a frame: RFC 8878, section 3.1.1.1. */
export function zstdWindowSize(head: Bytes): number {
  const descriptor = head[4] ?? 0;
  if ((descriptor & 0x20) === 0) {
    const exponent = head[5] ?? 0;
    return 2 ** (10 + (exponent >> 3)) * (1 + (exponent & 7) / 8);
  }
  const start = 5 + (DICTIONARY[descriptor & 3] ?? 0);
  const length = CONTENT[descriptor >> 6] || 1;
  const size = head.subarray(start, start + length).reduceRight((sum, byte) => sum * 256 + byte, 0);
  return length === 2 ? size + 256 : size;
}
