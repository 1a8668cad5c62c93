// Random damaged inputs: each is read, or refused with a code. `make fuzz` draws thousands, and records the outcomes.

import fc, { type Arbitrary } from "fast-check";
import { expect, inject, TestRunner } from "vitest";
import { WebbuildError } from "../../src/api/errors.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** The outcomes of one kind of inputs: a row of the table in docs/fuzz.md. */
export interface Fuzzed {
  what: string;
  /** The number of accepted inputs, and of refused ones by error code. */
  ended: Record<string, number>;
}

declare module "vitest" {
  interface ProvidedContext {
    /** Whether thousands of inputs are drawn. */
    fuzz: boolean;
    seed: number;
  }
  interface TaskMeta {
    fuzzed?: Fuzzed[];
  }
}

const seed = inject("seed");

/**
 * Draws `few` inputs in `make test`, `many` in `make fuzz`. Fails if one ends in an error that is not the runtime's, or
 * in a bug. `read` may return the outcome.
 */
export async function expectTypedEnds<T>(
  what: string,
  [few, many]: [few: number, many: number],
  inputs: Arbitrary<T>,
  read: (input: T) => unknown,
): Promise<void> {
  const ended: Record<string, number> = {};
  const property = fc.asyncProperty(inputs, async (input) => {
    const end = await endOf(() => read(input));
    ended[end] = (ended[end] ?? 0) + 1;
    expect("polluted" in {}).toBe(false);
  });
  const numRuns = inject("fuzz") ? many : few;
  await fc.assert(property, { numRuns, seed, endOnFailure: true });
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta !== undefined) meta.fuzzed = [...(meta.fuzzed ?? []), { what, ended }];
  console.info(`${what}, WEBBUILD_SEED=${seed}: ${JSON.stringify(ended)}`);
  if (numRuns >= 50) expect(Object.keys(ended).length, "every one ended the same way").toBeGreaterThan(1);
}

async function endOf(read: () => unknown): Promise<string> {
  try {
    const end = await read();
    return typeof end === "string" ? end : "accepted";
  } catch (error) {
    if (error instanceof WebbuildError && error.code !== "internal") return error.code;
    throw error;
  }
}

/** Absurd values for a field of four bytes. */
const WORDS = [0, 1, 0x7f, 0x8000_0000, 0x7fff_ffff, 0xffff_ffff];

type Damage = (content: Bytes) => Bytes;

/** A part of a content, given by its start and end as fractions. */
const span = (content: Bytes, one: number, other: number): [begin: number, end: number] => {
  const [begin = 0, end = 0] = [one, other]
    .map((share) => Math.floor(share * content.length))
    .sort((a, b) => a - b);
  return [begin, end];
};

/** A uniform number of 0..1; those of fc.double() are mostly near 0. */
const share = fc.noBias(fc.nat(2 ** 30 - 1)).map((number) => number / 2 ** 30);

const damage: Arbitrary<Damage> = fc.oneof(
  fc.tuple(share, fc.nat(7)).map(([at, bit]) => (content: Bytes): Bytes => {
    const place = Math.floor(at * content.length);
    content[place] = (content[place] ?? 0) ^ (1 << bit);
    return content;
  }),
  fc.tuple(share, fc.constantFrom(...WORDS)).map(([at, word]) => (content: Bytes): Bytes => {
    const place = Math.floor(at * Math.max(0, content.length - 3));
    if (content.length >= 4) new DataView(content.buffer).setUint32(place, word, true);
    return content;
  }),
  share.map((at) => (content: Bytes) => content.slice(0, Math.floor(at * content.length))),
  fc.tuple(share, share).map(([one, other]) => (content: Bytes): Bytes => {
    const [begin, end] = span(content, one, other);
    return joined(content.subarray(0, begin), content.subarray(end));
  }),
  fc.tuple(share, share).map(([one, other]) => (content: Bytes): Bytes => {
    const [begin, end] = span(content, one, other);
    return joined(content.subarray(0, end), content.subarray(begin));
  }),
);

/** One of `whole`, damaged: bits, words, truncations, holes, repeated parts. */
export function damaged(...whole: readonly Bytes[]): Arbitrary<Bytes> {
  return fc
    .tuple(fc.constantFrom(...whole), fc.array(damage, { maxLength: 4 }))
    .map(([content, ways]) => ways.reduce((changed, way) => way(changed), content.slice()));
}

export function joined(...parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** A key that JSON.parse() makes an own property, and an assignment does not. */
const PROTO = "a key that is to be __proto__";
const ABSURD: readonly unknown[] = [
  ...[
    null,
    true,
    0,
    -1,
    0.5,
    2 ** 31,
    2 ** 53,
    1e308,
    "",
    "\0",
    "../../x",
    "constructor",
    "__proto__",
    "x".repeat(5000),
  ],
  ...[
    [],
    {},
    [[]],
    [-1],
    [2 ** 40, 2 ** 40],
    { kind: "nothing" },
    { [PROTO]: { polluted: true } },
    { length: 2 ** 40 },
  ],
];

type Way = {
  at: number;
  depth: number;
  value: unknown;
  kind: "gone" | "other" | "alike" | "polluted" | "twice";
};

const way: Arbitrary<Way> = fc.record({
  at: share,
  depth: fc.integer({ min: 1, max: 5 }),
  value: fc.constantFrom(...ABSURD),
  kind: fc.constantFrom("gone", "other", "alike", "alike", "polluted", "twice"),
});

/** The JSON text of one of some values, with some fields missing, mistyped, or absurd. */
export function damagedJson(...whole: readonly unknown[]): Arbitrary<string> {
  return fc.tuple(fc.constantFrom(...whole), fc.array(way, { maxLength: 3 })).map(([value, ways]) => {
    const changed = { root: structuredClone(value) };
    for (const each of ways) change(changed, each);
    return (JSON.stringify(changed.root) ?? "").replaceAll(PROTO, "__proto__");
  });
}

type Holder = Record<string | number, unknown>;

function change(root: Holder, { at, depth, value, kind }: Way): void {
  const [holder, key] = place(root, at, depth);
  const before = holder[key];
  const sameKind = ABSURD.filter((each) => typeof each === typeof before);
  if (kind === "gone") delete holder[key];
  else if (kind === "polluted") holder[PROTO] = { polluted: true };
  else if (kind === "twice") holder[key] = Array.isArray(before) ? [...before, ...before] : [before, before];
  else if (kind === "alike") holder[key] = structuredClone(sameKind[Math.floor(at * 997) % sameKind.length]);
  else holder[key] = structuredClone(value);
}

/** A random place in a value, up to a depth; each step is uniform, so that long lists do not dominate. */
function place(root: Holder, at: number, depth: number): [Holder, string] {
  let [holder, key, rest] = [root, "root", at];
  for (let level = 0; level < depth; level++) {
    const value = holder[key];
    const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
    if (keys.length === 0) break;
    const index = Math.floor(rest * keys.length);
    [holder, key, rest] = [value as Holder, keys[index] ?? "", rest * keys.length - index];
  }
  return [holder, key];
}
