// Random weights in place of files: noise from a hash of the element's index, the same as `random_weights.py` writes.

/** `count` elements from byte `offset` on: a whole number from -127 to 127 each, times `step`, which is a power of two. */
export interface FilledTensor {
  offset: number;
  count: number;
  dtype: "float32" | "float16";
  step: number;
  seed: number;
}

export function fillTensors(data: Uint8Array<ArrayBuffer>, tensors: readonly FilledTensor[]): void {
  for (const { offset, count, dtype, step, seed } of tensors) {
    const [elements, table] =
      dtype === "float32"
        ? [new Float32Array(data.buffer, offset, count), levels((level) => level * step, Float32Array)]
        : [
            new Uint16Array(data.buffer, offset, count),
            levels((level) => halfBits(level * step), Uint16Array),
          ];
    for (let index = 0; index < count; index++) elements[index] = table[hash(index, seed) >>> 24] ?? 0;
  }
}

function levels<T extends Float32Array | Uint16Array>(
  of: (level: number) => number,
  Elements: { from(values: number[]): T },
): T {
  return Elements.from(Array.from({ length: 256 }, (_, byte) => of(Math.max(byte, 1) - 128)));
}

/** The finalizer of MurmurHash3. */
function hash(index: number, seed: number): number {
  let bits = (index + seed) >>> 0;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** Of a number that float16 holds exactly, and that is normal there, or 0. */
function halfBits(value: number): number {
  if (value === 0) return 0;
  const [bits = 0] = new Uint32Array(Float32Array.of(value).buffer);
  return ((bits >>> 16) & 0x8000) | ((((bits >>> 23) & 0xff) - 112) << 10) | ((bits >>> 13) & 0x3ff);
}
