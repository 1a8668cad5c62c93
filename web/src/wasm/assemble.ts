// A small assembler for WebAssembly with SIMD. Expressions nest as in the folded text format, so that a
// kernel is readable. Opcodes: https://webassembly.github.io/spec/core/appendix/index-instructions.html

/** Instructions in binary format. */
export type Code = readonly number[];

const TYPES = { i32: 0x7f, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;
type Type = keyof typeof TYPES;

/**
 * A function: its parameters and further locals by name, in this order. `body` leaves the result, if any, on
 * the stack.
 */
export interface WasmFunction {
  parameters: Readonly<Record<string, Type>>;
  locals: Readonly<Record<string, Type>>;
  result?: Type;
  body(local: (name: string) => Local): readonly Code[];
}

/** A parameter or local. `add` is for i32. */
export interface Local {
  get: Code;
  set(value: Code): Code;
  add(bytes: number): Code;
}

/** `Count` locals, as returned by `names.map(local)`. */
export type Locals<Count extends number, Tuple extends Local[] = []> = Tuple["length"] extends Count
  ? Tuple
  : Locals<Count, [...Tuple, Local]>;

/** Returns a module that exports the functions and imports the memory `env.memory`. */
export function assemble(functions: Readonly<Record<string, WasmFunction>>): Uint8Array<ArrayBuffer> {
  const all = Object.entries(functions);
  const types = all.map(([, { parameters, result }]) => [
    0x60,
    ...list(Object.values(parameters).map((type) => [TYPES[type]])),
    ...list(result === undefined ? [] : [[TYPES[result]]]),
  ]);
  const memory = [...text("env"), ...text("memory"), 0x02, 0x00, 0x01];
  const sections = [
    section(1, list(types)),
    section(2, list([memory])),
    section(3, list(all.map((_, index) => unsigned(index)))),
    section(7, list(all.map(([name], index) => [...text(name), 0x00, ...unsigned(index)]))),
    section(10, list(all.map(([, each]) => sized(bodyOf(each))))),
  ];
  return Uint8Array.from([0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, ...sections.flat()]);
}

function bodyOf({ parameters, locals, body }: WasmFunction): Code {
  const names = [...Object.keys(parameters), ...Object.keys(locals)];
  const local = (name: string): Local => {
    const index = unsigned(names.indexOf(name));
    const get = [0x20, ...index];
    const set = (value: Code): Code => [...value, 0x21, ...index];
    return { get, set, add: (bytes) => set(i32.add(get, i32.const(bytes))) };
  };
  const declared = list(Object.values(locals).map((type) => [1, TYPES[type]]));
  return [...declared, ...body(local).flat(), 0x0b];
}

/** Repeats `body` while the condition is not 0; runs it at least once. */
export function repeatWhile(condition: Code, body: readonly Code[]): Code {
  return [0x03, 0x40, ...body.flat(), ...condition, 0x0d, 0x00, 0x0b];
}

/** Returns the first if the condition is not 0, else the second. */
export function select(first: Code, second: Code, condition: Code): Code {
  return [...first, ...second, ...condition, 0x1b];
}

const two =
  (...opcode: number[]) =>
  (a: Code, b: Code): Code => [...a, ...b, ...opcode];

export const i32 = {
  const: (value: number): Code => [0x41, ...signed(value)],
  load: (address: Code, offset = 0): Code => [...address, 0x28, 0, ...unsigned(offset)],
  add: two(0x6a),
  not: (value: Code): Code => [...value, 0x45],
  unequal: two(0x47),
};

const SIMD = 0xfd;

export const v128 = {
  bytes: (bytes: readonly number[]): Code => [SIMD, 0x0c, ...bytes],
  load: (address: Code, offset = 0): Code => [...address, SIMD, 0x00, 0, ...unsigned(offset)],
  /** Loads 32 bits into the first lane; the others are 0. */
  loadWord: (address: Code): Code => [...address, SIMD, 0x5c, 0, 0],
  /** Loads 32 bits into the second lane of `value`. */
  loadSecondWord: (address: Code, value: Code): Code => [...address, ...value, SIMD, 0x56, 0, 0, 1],
  store: (address: Code, value: Code): Code => [...address, ...value, SIMD, 0x0b, 0, 0],
  /** Stores one of the two 64-bit lanes. */
  storeLane: (address: Code, lane: number, value: Code, offset = 0): Code => [
    ...address,
    ...value,
    ...[SIMD, 0x5b, 0],
    ...unsigned(offset),
    lane,
  ],
  /** Stores the first 32-bit lane. */
  storeWord: (address: Code, value: Code): Code => [...address, ...value, SIMD, 0x5a, 0, 0, 0],
  /** Selects bytes of both at these places: 0 to 15 of the first, 16 to 31 of the second. */
  shuffle: (first: Code, second: Code, places: readonly number[]): Code => [
    ...first,
    ...second,
    SIMD,
    0x0d,
    ...places,
  ],
  and: two(SIMD, 0x4e),
  /** The bits of the first that are not in the second (and-not). */
  without: two(SIMD, 0x4f),
  or: two(SIMD, 0x50),
  /** Selects bits of the first where `mask` is 1, else of the second. */
  choose: (first: Code, second: Code, mask: Code): Code => [...first, ...second, ...mask, SIMD, 0x52],
  any: (value: Code): Code => [...value, SIMD, 0x53],
  /** Selects bytes of the first by the indices in the second; 0 for an index from 16 on. */
  swizzle: two(SIMD, 0x0e),
};

export const f64x2 = {
  loadSplat: (address: Code): Code => [...address, SIMD, 0x0a, 0, 0],
  splat: (value: Code): Code => [...value, SIMD, 0x14],
  add: two(SIMD, 0xf0, 0x01),
  mul: two(SIMD, 0xf2, 0x01),
  /** Converts the first two 32-bit lanes, which must not be negative. */
  fromWords: (value: Code): Code => [...value, SIMD, 0xfe, 0x01],
  /** Rounds to float32, into the first two of four lanes. */
  demote: (value: Code): Code => [...value, SIMD, 0x5e],
  /** Converts the first two of four float32 lanes. */
  promote: (value: Code): Code => [...value, SIMD, 0x5f],
};

export const f32x4 = {
  splat: (value: Code): Code => [...value, SIMD, 0x13],
  mul: two(SIMD, 0xe6, 0x01),
  abs: (value: Code): Code => [...value, SIMD, 0xe0, 0x01],
  /** NaN if either is NaN. */
  min: two(SIMD, 0xe8, 0x01),
  max: two(SIMD, 0xe9, 0x01),
  more: two(SIMD, 0x44),
  atLeast: two(SIMD, 0x46),
};

export const i32x4 = {
  splat: (value: Code): Code => [...value, SIMD, 0x11],
  sub: two(SIMD, 0xb1, 0x01),
  lane: (value: Code, lane: number): Code => [...value, SIMD, 0x1b, lane],
};

function section(id: number, content: Code): Code {
  return [id, ...sized(content)];
}

function sized(content: Code): Code {
  return [...unsigned(content.length), ...content];
}

function list(items: readonly Code[]): Code {
  return [...unsigned(items.length), ...items.flat()];
}

function text(value: string): Code {
  return sized([...value].map((letter) => letter.charCodeAt(0)));
}

/** Returns the LEB128 encoding. */
function unsigned(value: number): Code {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

function signed(value: number): Code {
  const isLast = value >= -64 && value < 64;
  return isLast ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
