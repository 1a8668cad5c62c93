// Compressed files that are damaged, larger than declared, or request too much memory.

import fc from "fast-check";
import { expect, test } from "vitest";
import { Decompressor } from "../../src/storage/decompress.js";
import { damaged, expectTypedEnds, joined } from "../support/fuzz.js";

type Bytes = Uint8Array<ArrayBuffer>;
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];

/** A zstd block: raw bytes, or one byte repeated `count` times. */
function block(last: boolean, repeated: boolean, count: number): Bytes {
  const word = (count << 3) | (repeated ? 2 : 0) | (last ? 1 : 0);
  return joined(Uint8Array.of(word, word >> 8, word >> 16), new Uint8Array(repeated ? 1 : count).fill(7));
}

/** A zstd frame with this window size, and two blocks of `size` bytes in total. */
function frame(windowBits: number, size: number): Bytes {
  const head = Uint8Array.of(...MAGIC, 0, (windowBits - 10) << 3);
  return joined(head, block(false, false, size >> 1), block(true, true, size - (size >> 1)));
}

const SKIPPED = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 9, 9, 9, 9);
const SIZE = 4000;

async function decompressed(
  encoding: "zstd" | "gzip",
  content: Bytes,
  size = SIZE,
  chunk = 99,
): Promise<Bytes> {
  const [path, sha256, parts, quantization] = ["engine.wasm", "", [], "none"] as const;
  const file = { path, sha256, parts: [...parts], quantization, encoding, size: 0, uncompressedSize: size };
  const decompressor = new Decompressor(file);
  for (let at = 0; at < content.length; at += chunk) decompressor.push(content.subarray(at, at + chunk));
  return decompressor.content(content);
}

const sizes = fc.constantFrom(SIZE, SIZE, SIZE, SIZE - 1, SIZE + 1, 2 * SIZE, 0);
const chunks = fc.constantFrom(1, 7, 99, 10_000);

test("zstd is decompressed or refused", async () => {
  const stored = new Uint8Array(
    await (await fetch(new URL("../fixture/numbers.zst", import.meta.url))).arrayBuffer(),
  );
  const drawn = fc.array(fc.tuple(fc.integer({ min: 10, max: 41 }), fc.constantFrom(SIZE, SIZE, 9)), {
    maxLength: 2,
  });
  const frames = drawn.map((each) => joined(...each.map(([bits, size]) => frame(bits, size))));
  const inputs = fc.oneof(
    damaged(frame(12, SIZE), frame(20, SIZE), joined(SKIPPED, frame(12, SIZE)), stored),
    frames,
  );
  await expectTypedEnds(
    "zstd files",
    [150, 3000],
    fc.tuple(inputs, sizes, chunks),
    ([content, size, chunk]) => decompressed("zstd", content, size, chunk),
  );
});

test("gzip is decompressed or refused", async () => {
  const noise = Uint8Array.from({ length: SIZE }, (_, index) => (index * index) >> 3);
  const whole = await Promise.all([noise, new Uint8Array(SIZE), new Uint8Array(1e7)].map(gzip));
  await expectTypedEnds("gzip files", [100, 2000], fc.tuple(damaged(...whole), sizes), ([content, size]) =>
    decompressed("gzip", content, size),
  );
});

async function gzip(content: Bytes): Promise<Bytes> {
  const body = new Blob([content]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(body).arrayBuffer());
}

test.each<[what: string, content: Bytes]>([
  ["a second frame", joined(frame(12, SIZE - 9), frame(30, 9))],
  ["a frame after one to be skipped", joined(SKIPPED, frame(30, SIZE))],
])("%s: no window is allocated before it is checked", async (_, content) => {
  const wanted = { code: "corrupt-file", message: expect.stringMatching(/frame/) };
  for (const chunk of [1, 7, 10_000])
    await expect(decompressed("zstd", content, SIZE, chunk)).rejects.toMatchObject(wanted);
});

test("a frame of many empty blocks is refused before each one moves the window", async () => {
  const head = Uint8Array.of(...MAGIC, 0, (23 - 10) << 3);
  const blocks = Array.from({ length: 20_000 }, () => block(false, false, 0));
  const content = joined(head, ...blocks, block(true, true, SIZE));
  const wanted = { code: "corrupt-file", message: expect.stringContaining("blocks") };
  await expect(decompressed("zstd", content, SIZE, 10_000)).rejects.toMatchObject(wanted);
});
