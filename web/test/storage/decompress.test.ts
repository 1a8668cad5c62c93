import { afterEach, expect, test, vi } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { Decompressor } from "../../src/storage/decompress.js";
import { sha256 } from "../../src/storage/sha256.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** 300,000 bytes, three blocks, as zstd: made by `seq 1 99999 | head -c 300000 | zstd -19 --no-check`. */
const STORED = new URL("../fixture/numbers.zst", import.meta.url);
const SIZE = 300_000;

const plain = (): Bytes => {
  const numbers = Array.from({ length: 99_999 }, (_, index) => `${index + 1}\n`).join("");
  return new TextEncoder().encode(numbers.slice(0, SIZE));
};

const stored = async (): Promise<Bytes> => new Uint8Array(await (await fetch(STORED)).arrayBuffer());

const file = (more: Partial<File> = {}): File => ({
  path: "engine.wasm.zst",
  size: 0,
  sha256: "",
  encoding: "zstd",
  uncompressedSize: SIZE,
  parts: [],
  quantization: "none",
  ...more,
});

async function inflated(content: Bytes, chunk = content.length, of = file()): Promise<Bytes> {
  const inflating = new Decompressor(of);
  for (let at = 0; at < content.length; at += chunk) inflating.push(content.subarray(at, at + chunk));
  return inflating.content(content);
}

/** Comparing hashes is fast; comparing 300,000 numbers takes a second. */
async function expectPlain(content: Bytes): Promise<void> {
  expect(await sha256(content)).toBe(await sha256(plain()));
}

const corrupt = (message: string): unknown =>
  expect.objectContaining({ code: "corrupt-file", message: expect.stringContaining(message) });

afterEach(() => vi.unstubAllGlobals());

test.each([1, 7, 1000, 1_000_000])("zstd that arrives %i bytes at a time is decompressed", async (chunk) => {
  await expectPlain(await inflated(await stored(), chunk));
});

test("zstd is decompressed while it arrives", async () => {
  const content = await stored();
  const inflating = new Decompressor(file());
  inflating.push(content);
  content.fill(0, 100);
  await expectPlain(await inflating.content(content));
});

test("zstd that is truncated anywhere is an error, not an endless wait", async () => {
  const content = await stored();
  const ends = Array.from({ length: 40 }, (_, index) => Math.floor((index * content.length) / 40));
  for (const end of [...ends.filter((end) => end > 3), content.length - 1])
    await expect(inflated(content.slice(0, end), 50)).rejects.toThrow(corrupt("not a complete zstd file"));
});

test("zstd with trailing data is an error", async () => {
  const content = new Uint8Array([...(await stored()), 1, 2, 3]);
  await expect(inflated(content)).rejects.toThrow(corrupt("not a complete zstd file"));
});

test("broken zstd is an error", async () => {
  const content = await stored();
  content.fill(0xff, 1000, 1400);
  await expect(inflated(content, 99)).rejects.toThrow(corrupt("engine.wasm.zst"));
});

test.each([
  ["of its own", [0x80, 0xff]],
  ["as large as its content", [0xe0, 0xff, 0xff, 0xff, 0xff]],
])("zstd that declares a too large window %s gets no memory", async (_, head) => {
  const content = await stored();
  content.set(head, 4);
  for (const chunk of [1, 7, 1000])
    await expect(inflated(content, chunk)).rejects.toThrow(corrupt("a window of"));
});

test.each([SIZE - 1, SIZE + 1])("content of another size than the manifest's is an error", async (size) => {
  const wrong = inflated(await stored(), 1000, file({ uncompressedSize: size }));
  await expect(wrong).rejects.toThrow(corrupt("engine.wasm.zst"));
});

test("broken gzip is an error", async () => {
  const content = new Uint8Array([0x1f, 0x8b, 8, 0, 1, 2, 3]);
  await expect(inflated(content, 7, file({ encoding: "gzip" }))).rejects.toThrow(
    corrupt("not a complete gzip file"),
  );
});

test("gzip that expands beyond the manifest's size is stopped there", async () => {
  let made = 0;
  const endless = class {
    readonly writable = new WritableStream();
    readonly readable = new ReadableStream({
      pull(to) {
        made += 2 ** 20;
        to.enqueue(new Uint8Array(2 ** 20));
      },
    });
  };
  vi.stubGlobal("DecompressionStream", endless);
  const stored = new Uint8Array([0x1f, 0x8b, 8, 0]);
  const wrong = inflated(stored, 4, file({ encoding: "gzip" }));
  await expect(wrong).rejects.toThrow(corrupt(`it holds more than ${SIZE} bytes`));
  expect(made).toBeLessThan(2 ** 23);
});

test("gzip of fewer bytes than the manifest says is an error", async () => {
  const body = new Blob([plain().slice(1)]).stream().pipeThrough(new CompressionStream("gzip"));
  const short = new Uint8Array(await new Response(body).arrayBuffer());
  const wrong = inflated(short, short.length, file({ encoding: "gzip" }));
  await expect(wrong).rejects.toThrow(corrupt(`it holds ${SIZE - 1} bytes, not ${SIZE}`));
});

test("a browser with native zstd decompresses it itself", async () => {
  const asked: string[] = [];
  class Knowing extends TransformStream {
    constructor(format: string) {
      super({ flush: (to) => to.enqueue(plain()), transform() {} });
      asked.push(format);
    }
  }
  vi.stubGlobal("DecompressionStream", Knowing);
  await expectPlain(await inflated(await stored(), 1000));
  expect(new Set(asked)).toEqual(new Set(["zstd"]));
});
