// Weights stored as whole numbers with scales, turned back to floats. webbuild/storage/form.py says how they lie;
// webbuild/storage/restore.py does the same, to the bit.

import { WebbuildError } from "./errors.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** A tensor seen as [groups, block, channels, inner], with a scale for each [group, channel]. */
interface Piece {
  kind: number;
  offset: number;
  groups: number;
  block: number;
  channels: number;
  inner: number;
  /** All four multiplied. */
  count: number;
}

const HEAD = 8;
const PIECE = 24;
const PLAIN = 0;
const INT16 = 2;
/** Bytes of a stored number by the kind of piece, and bytes of what it becomes. */
const STORED = [1, 1, 2] as const;
const RESTORED = [1, 4, 4] as const;

/** Returns the `size` bytes that `data` stands for. Throws where `data` is not as it must be; `path` is its name. */
export function restore(data: Bytes, size: number, path: string): Bytes {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const pieces = readTable(view, size, path);
  const restored = room(size, path);
  let scales = HEAD + pieces.length * PIECE;
  let at = scales + pieces.reduce((sum, piece) => sum + 4 * scaleCount(piece), 0);
  for (const piece of pieces) {
    const stored = data.subarray(at, at + storedBytes(piece));
    if (piece.kind === PLAIN) restored.set(stored, piece.offset);
    else {
      const floats = new Float32Array(restored.buffer, piece.offset, piece.count);
      multiply(piece, stored, readScales(view, scales, piece, path), floats);
    }
    scales += 4 * scaleCount(piece);
    at += stored.byteLength;
  }
  return restored;
}

/** Returns as many zeros, where there is room for them. */
export function room(bytes: number, path: string): Bytes {
  try {
    return new Uint8Array(bytes);
  } catch (cause) {
    const fix = "dispose of models that are not used, close other pages, or pack a smaller model";
    throw new WebbuildError("out-of-memory", `${path}: no room for ${bytes} bytes`, fix, { cause });
  }
}

function readTable(view: DataView, size: number, path: string): Piece[] {
  const magic =
    view.byteLength < HEAD ? "" : String.fromCharCode(...[0, 1, 2, 3].map((at) => view.getUint8(at)));
  if (magic !== "WBW1") throw bad(path, "it does not begin as stored weights do");
  const count = view.getUint32(4, true);
  let wanted = HEAD + count * PIECE;
  if (wanted > view.byteLength) throw bad(path, `${view.byteLength} bytes hold no table of ${count} pieces`);
  const pieces: Piece[] = [];
  let end = 0;
  for (let index = 0; index < count; index++) {
    const piece = readPiece(view, HEAD + index * PIECE, path);
    if (piece.offset < end) throw bad(path, `the piece at ${piece.offset} begins before ${end}`);
    end = piece.offset + restoredBytes(piece);
    wanted += 4 * scaleCount(piece) + storedBytes(piece);
    pieces.push(piece);
  }
  if (end > size) throw bad(path, `its last piece ends at ${end}, behind ${size} bytes`);
  if (wanted !== view.byteLength) throw bad(path, `its pieces take ${wanted} bytes, not ${view.byteLength}`);
  return pieces;
}

function readPiece(view: DataView, at: number, path: string): Piece {
  const field = (index: number): number => view.getUint32(at + 4 * index, true);
  const [kind, offset] = [field(0), field(1)];
  const [groups, block, channels, inner] = [field(2), field(3), field(4), field(5)];
  const count = groups * block * channels * inner;
  const fits = kind === PLAIN ? count === inner : kind <= INT16 && offset % 4 === 0;
  if (!fits || count === 0) throw bad(path, `there is no piece of kind ${kind} at ${offset}`);
  return { kind, offset, groups, block, channels, inner, count };
}

function readScales(view: DataView, at: number, piece: Piece, path: string): Float32Array {
  const scales = Float32Array.from({ length: scaleCount(piece) }, (_, index) =>
    view.getFloat32(at + 4 * index, true),
  );
  if (!scales.every(Number.isFinite))
    throw bad(path, `a scale of the piece at ${piece.offset} is not finite`);
  return scales;
}

/** A product of 16 and 24 bits is exact until the array of float32s rounds it, once. */
function multiply(piece: Piece, stored: Bytes, scales: Float32Array, floats: Float32Array): void {
  const { groups, block, channels, inner, count } = piece;
  const high = new Int8Array(stored.buffer, stored.byteOffset, count);
  const low = piece.kind === INT16 ? stored.subarray(count) : null;
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

function scaleCount({ kind, groups, channels }: Piece): number {
  return kind === PLAIN ? 0 : groups * channels;
}

function storedBytes({ kind, count }: Piece): number {
  return count * (STORED[kind] ?? 0);
}

function restoredBytes({ kind, count }: Piece): number {
  return count * (RESTORED[kind] ?? 0);
}

function bad(path: string, what: string): WebbuildError {
  const fix = "deploy the whole bundle again, unchanged; if it stays, pack the model again";
  return new WebbuildError("corrupt-file", `${path} holds no weights as they are stored: ${what}`, fix);
}
