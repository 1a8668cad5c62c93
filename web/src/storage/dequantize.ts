// Dequantizes weights: stored integers times their scales. webbuild/quantization/weight_format.py describes
// the format, and webbuild/quantization/dequantize.py gives the same bits.

import { outOfMemory, WebbuildError } from "../api/errors.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A tensor as [groups, block, channels, inner], with a scale for each [group, channel]. */
interface WeightChunk {
  kind: number;
  offset: number;
  groups: number;
  block: number;
  channels: number;
  inner: number;
  /** The number of elements: groups * block * channels * inner. */
  count: number;
}

const FILE_HEADER = 8;
const CHUNK_HEADER = 24;
const PLAIN = 0;
const INT16 = 2;
/** Bytes of an element by the chunk's kind: as stored, and dequantized. */
const STORED_BYTES = [1, 1, 2] as const;
const DEQUANTIZED_BYTES = [1, 4, 4] as const;

/** Returns the `size` bytes of the dequantized file. Throws if `data`, the file at `path`, is not valid. */
export function dequantize(data: Bytes, size: number, path: string): Bytes {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const chunks = readTable(view, size, path);
  const output = allocate(size, path);
  let scales = FILE_HEADER + chunks.length * CHUNK_HEADER;
  let at = scales + chunks.reduce((sum, chunk) => sum + 4 * scaleCount(chunk), 0);
  for (const chunk of chunks) {
    const stored = data.subarray(at, at + storedBytes(chunk));
    if (chunk.kind === PLAIN) output.set(stored, chunk.offset);
    else {
      const floats = new Float32Array(output.buffer, chunk.offset, chunk.count);
      multiply(chunk, stored, readScales(view, scales, chunk, path), floats);
    }
    scales += 4 * scaleCount(chunk);
    at += stored.byteLength;
  }
  return output;
}

/** Allocates memory. Throws "out-of-memory". */
export function allocate(bytes: number, path: string): Bytes {
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    throw outOfMemory(`${path}: cannot allocate ${bytes} bytes`, { cause });
  }
}

function readTable(view: DataView, size: number, path: string): WeightChunk[] {
  const magic =
    view.byteLength < FILE_HEADER ? "" : String.fromCharCode(...[0, 1, 2, 3].map((at) => view.getUint8(at)));
  if (magic !== "WBW1") throw corruptWeights(path, "it does not begin as stored weights do");
  const count = view.getUint32(4, true);
  let wanted = FILE_HEADER + count * CHUNK_HEADER;
  if (wanted > view.byteLength)
    throw corruptWeights(path, `${view.byteLength} bytes hold no table of ${count} pieces`);
  const chunks: WeightChunk[] = [];
  let end = 0;
  for (let index = 0; index < count; index++) {
    const chunk = readChunk(view, FILE_HEADER + index * CHUNK_HEADER, path);
    if (chunk.offset < end) throw corruptWeights(path, `the piece at ${chunk.offset} begins before ${end}`);
    end = chunk.offset + dequantizedBytes(chunk);
    wanted += 4 * scaleCount(chunk) + storedBytes(chunk);
    chunks.push(chunk);
  }
  if (end > size) throw corruptWeights(path, `its last piece ends at ${end}, after ${size} bytes`);
  if (wanted !== view.byteLength)
    throw corruptWeights(path, `its pieces take ${wanted} bytes, not ${view.byteLength}`);
  return chunks;
}

function readChunk(view: DataView, at: number, path: string): WeightChunk {
  const field = (index: number): number => view.getUint32(at + 4 * index, true);
  const [kind, offset] = [field(0), field(1)];
  const [groups, block, channels, inner] = [field(2), field(3), field(4), field(5)];
  const count = groups * block * channels * inner;
  const fits = kind === PLAIN ? count === inner : kind <= INT16 && offset % 4 === 0;
  if (!fits || count === 0) throw corruptWeights(path, `there is no piece of kind ${kind} at ${offset}`);
  return { kind, offset, groups, block, channels, inner, count };
}

function readScales(view: DataView, at: number, chunk: WeightChunk, path: string): Float32Array {
  const scales = Float32Array.from({ length: scaleCount(chunk) }, (_, index) =>
    view.getFloat32(at + 4 * index, true),
  );
  if (!scales.every(Number.isFinite))
    throw corruptWeights(path, `a scale of the piece at ${chunk.offset} is not finite`);
  return scales;
}

/** The product of 16 and 24 bits is exact in float64; storing it as float32 rounds it, once. */
function multiply(chunk: WeightChunk, stored: Bytes, scales: Float32Array, floats: Float32Array): void {
  const { groups, block, channels, inner, count } = chunk;
  const high = new Int8Array(stored.buffer, stored.byteOffset, count);
  const low = chunk.kind === INT16 ? stored.subarray(count) : null;
  let at = 0;
  for (let group = 0; group < groups; group++) {
    for (let row = 0; row < block; row++) {
      for (let channel = 0; channel < channels; channel++) {
        const scale = scales[group * channels + channel] ?? 0;
        for (const end = at + inner; at < end; at++) {
          const number = high[at] ?? 0;
          floats[at] = (low === null ? number : number * 256 + (low[at] ?? 0)) * scale;
        }
      }
    }
  }
}

function scaleCount({ kind, groups, channels }: WeightChunk): number {
  return kind === PLAIN ? 0 : groups * channels;
}

function storedBytes({ kind, count }: WeightChunk): number {
  return count * (STORED_BYTES[kind] ?? 0);
}

function dequantizedBytes({ kind, count }: WeightChunk): number {
  return count * (DEQUANTIZED_BYTES[kind] ?? 0);
}

function corruptWeights(path: string, what: string): WebbuildError {
  const fix = "deploy the whole bundle again, unchanged; if the error stays, pack the model again";
  return new WebbuildError("corrupt-file", `${path} is not a valid weight file: ${what}`, fix);
}
