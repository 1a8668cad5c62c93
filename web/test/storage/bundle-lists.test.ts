import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { openBundle, removeBundle } from "../../src/storage/bundle-lists.js";
import { Downloads } from "../../src/storage/download.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { findingKey, readFinding, writeFinding } from "../../src/storage/findings.js";
import { oneAtATime } from "../../src/storage/one-at-a-time.js";
import { sha256 } from "../../src/storage/sha256.js";
import type { FileStore } from "../../src/storage/storage-backends.js";
import { TimedOut } from "../../src/worker/with-limit.js";
import { bundle } from "../support/bundle.js";

const DAY = 24 * 3_600_000;
const THERE = bundle("manifest.json").href;
const GONE = bundle("gone.json").href;
const OWN = bundle("parts.json").href;
let now = 0;

/** A store with a size limit in bytes. */
class Shelf implements FileStore {
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>();

  constructor(readonly room = Number.POSITIVE_INFINITY) {}

  read = async (name: string): Promise<Uint8Array<ArrayBuffer> | null> =>
    this.files.get(name)?.slice() ?? null;
  names = async (): Promise<string[]> => [...this.files.keys()];
  remove = async (name: string): Promise<void> => void this.files.delete(name);
  write = async (name: string, ...pieces: Uint8Array<ArrayBuffer>[]): Promise<void> => {
    const content = new Uint8Array(await new Blob(pieces).arrayBuffer());
    const others = [...this.files].reduce((sum, [each, { length }]) => sum + (each === name ? 0 : length), 0);
    if (others + content.length > this.room) throw new DOMException("full", "QuotaExceededError");
    this.files.set(name, content);
  };

  /** Opens a bundle with files whose lengths are in their names. */
  async keep(manifest: string, ...files: string[]): Promise<void> {
    await openBundle(this, manifest, files, 10_000);
    for (const file of files) await this.write(file, new Uint8Array(Number.parseInt(file, 10)));
  }

  kept(): string[] {
    return [...this.files.keys()].filter((name) => !name.startsWith("bundle-")).toSorted();
  }
}

const later = (days: number): void => {
  now += days * DAY;
};

beforeEach(() => {
  now = Date.now();
  vi.spyOn(Date, "now").mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

test("a bundle that was not opened for 60 days is removed, except files of other bundles", async () => {
  const shelf = new Shelf();
  await shelf.keep(THERE, "1 old", "2 both");
  later(59);
  await shelf.keep(OWN, "2 both", "3 new");
  expect(shelf.kept()).toEqual(["1 old", "2 both", "3 new"]);
  later(2);
  await shelf.keep(OWN, "2 both", "3 new");
  expect(shelf.kept()).toEqual(["2 both", "3 new"]);
});

test("a bundle dated in the future is removed like others", async () => {
  const shelf = new Shelf();
  later(400);
  await shelf.keep(THERE, "1 old");
  await shelf.keep(OWN, "2 own");
  later(-400);
  await shelf.keep(OWN, "2 own");
  await shelf.keep(THERE, "1 old");
  later(61);
  await shelf.keep(OWN, "2 own");
  expect(shelf.kept()).toEqual(["2 own"]);
});

test("a bundle that is opened now and then stays", async () => {
  const shelf = new Shelf();
  await shelf.keep(THERE, "1 old");
  for (let month = 0; month < 4; month++) {
    later(30);
    await shelf.keep(THERE, "1 old");
  }
  await shelf.keep(OWN, "2 new");
  expect(shelf.kept()).toEqual(["1 old", "2 new"]);
});

test.each([
  ["whose manifest is gone goes after a day", GONE, 2, []],
  ["whose manifest is gone stays for a day", GONE, 0.5, ["1 old"]],
  ["whose manifest is there stays", THERE, 2, ["1 old"]],
  ["whose server does not answer stays", "https://nobody.invalid/manifest.json", 2, ["1 old"]],
])("a bundle %s", async (_, manifest, days, left) => {
  const shelf = new Shelf();
  await shelf.keep(manifest, "1 old");
  later(days);
  await shelf.keep(OWN, "2 new");
  expect(shelf.kept()).toEqual([...left, "2 new"]);
});

test("an unreadable list is removed with its files", async () => {
  const shelf = new Shelf();
  await shelf.keep(THERE, "1 old");
  for (const name of shelf.files.keys())
    if (name.startsWith("bundle-")) await shelf.write(name, new TextEncoder().encode('["1 old"]'));
  await shelf.keep(OWN, "2 new");
  expect(shelf.kept()).toEqual(["2 new"]);
});

test("removing a bundle leaves other bundles' files", async () => {
  const shelf = new Shelf();
  await shelf.keep(THERE, "1 old", "2 both");
  await shelf.keep(OWN, "2 both", "3 new");
  await removeBundle(shelf, THERE);
  expect(shelf.kept()).toEqual(["2 both", "3 new"]);
});

async function opened(shelf: Shelf, files: File[] = []): Promise<[FileCache, string[]]> {
  const warned: string[] = [];
  const options = {
    open: async () => shelf,
    limit: () => 10_000,
    warn: ({ code }: { code: string }) => warned.push(code),
  };
  return [await FileCache.open(OWN, files, options), warned];
}

const file = (size: number, more: Partial<File> = {}): File => ({
  path: "model/weights.bin",
  size,
  sha256: `${size} new`,
  encoding: "identity",
  uncompressedSize: size,
  parts: [],
  quantization: "none",
  ...more,
});

test("if storage is full, the oldest bundle is removed, but none of today's", async () => {
  const shelf = new Shelf(4_600);
  await shelf.keep(THERE, "1000 oldest");
  later(1);
  await shelf.keep(`${THERE}?second`, "1001 second");
  later(1.5);
  await shelf.keep(`${THERE}?today`, "1002 today");
  const [cache, warned] = await opened(shelf, [file(1200), file(1400), file(1600)]);
  await cache.put(file(1200), new Uint8Array(1200));
  expect(shelf.kept()).toEqual(["1001 second", "1002 today", "1200 new"]);
  await cache.put(file(1400), new Uint8Array(1400));
  expect(shelf.kept()).toEqual(["1002 today", "1200 new", "1400 new"]);
  expect(warned).toEqual([]);
  await cache.put(file(1600), new Uint8Array(1600));
  expect(shelf.kept()).toEqual(["1002 today", "1200 new", "1400 new"]);
  expect(warned).toEqual(["not-kept"]);
});

test.each(["expires", "needs the space"])(
  "the findings of a bundle go with its list, which %s",
  async (why) => {
    const shelf = new Shelf(why === "expires" ? Number.POSITIVE_INFINITY : 1_500);
    const old = "https://shop.example/old/manifest.json";
    const none = (): void => {};
    const keys = await Promise.all([old, OWN].map((manifest) => findingKey(manifest, "device")));
    for (const key of keys) await writeFinding(key, { works: true }, none);
    await shelf.keep(old, "1000 old");
    later(why === "expires" ? 61 : 2);
    const [cache] = await opened(shelf, [file(1200)]);
    await cache.put(file(1200), new Uint8Array(1200));
    const found = (): Promise<unknown> => Promise.all(keys.map((key) => readFinding(key, () => true, none)));
    await expect.poll(found).toEqual([undefined, { works: true }]);
    await caches.delete("webbuild-findings");
  },
);

test("two tabs that need a file at once fetch it once", async () => {
  const { files } = (await (await fetch(THERE)).json()) as { files: File[] };
  const path = "model/weights.bin";
  const id = crypto.randomUUID();
  const addresses = { [path]: new URL(`/bad/${path}?id=${id}&times=0`, location.origin).href };
  const shelf = new Shelf();
  const signal = new AbortController().signal;
  const tabs = await Promise.all([opened(shelf, files), opened(shelf, files), opened(shelf, files)]);
  const contents = await Promise.all(
    tabs.map(([cache]) => new Downloads({ base: THERE, addresses }, files, cache, signal).get(path)),
  );
  expect(contents.map(({ length }) => length)).toEqual([3136, 3136, 3136]);
  expect(new Set(contents.map(({ buffer }) => buffer)).size).toBe(3);
  expect(await (await fetch(`/bad/log?id=${id}`)).json()).toEqual([""]);
});

test("a tab that waits for another tab's download gets its progress", async () => {
  const content = Uint8Array.of(1, 2, 3, 4);
  const whole = { ...file(4), path: "four.bin", sha256: await sha256(content) };
  const controllers: ReadableStreamDefaultController<Uint8Array>[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => void controllers.push(controller),
    });
    return new Response(stream);
  });
  const shelf = new Shelf();
  const heard = [0, 0];
  const getting = heard.map(async (_, tab) => {
    const [cache] = await opened(shelf, [whole]);
    const downloads = new Downloads(
      { base: OWN, addresses: {} },
      [whole],
      cache,
      new AbortController().signal,
    );
    return downloads.get(whole.path, (count) => {
      heard[tab] = (heard[tab] ?? 0) + count;
    });
  });
  await expect.poll(() => controllers.length).toBe(1);
  controllers[0]?.enqueue(content.slice(0, 3));
  await expect.poll(() => heard).toEqual([3, 3]);
  controllers[0]?.enqueue(content.slice(3));
  controllers[0]?.close();
  expect(await Promise.all(getting)).toEqual([content, content]);
  expect(heard).toEqual([4, 4]);
  expect(controllers.length).toBe(1);
});

test("waiting for lists that another tab keeps writing ends at the limit, and is no storage error", async () => {
  let giveBack = (): void => {};
  const held = new Promise<void>((resolve) => {
    giveBack = resolve;
  });
  void navigator.locks.request("webbuild lists", () => held);
  await expect(openBundle(new Shelf(), OWN, [], 50)).rejects.toThrow(TimedOut);
  giveBack();
});

const after = async (): Promise<void> => {};

test("waiting for a lock that is never released ends at the limit, or when the load is aborted", async () => {
  let giveBack = (): void => {};
  void navigator.locks.request(
    "held",
    () =>
      new Promise<void>((resolve) => {
        giveBack = resolve;
      }),
  );
  const work = async (): Promise<string> => "done";
  const never = new AbortController();
  expect(await oneAtATime("held", { work, after }, 50, never.signal)).toBe("done");
  const waiting = oneAtATime("held", { work, after }, 60_000, never.signal);
  never.abort();
  expect(await waiting).toBe("done");
  giveBack();
});

test("failed work lets the next one have its turn", async () => {
  const { signal } = new AbortController();
  const failing = async (): Promise<string> => {
    throw new Error("failed");
  };
  await expect(oneAtATime("turn", { work: failing, after }, 60_000, signal)).rejects.toThrow("failed");
  expect(await oneAtATime("turn", { work: async () => "done", after }, 60_000, signal)).toBe("done");
});
