import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Model } from "../../src/index.js";
import type { File } from "../../src/manifest/manifest.js";
import { FileCache } from "../../src/storage/file-cache.js";
import type { FileStore } from "../../src/storage/storage-backends.js";
import { TimedOut, withLimit } from "../../src/worker/with-limit.js";
import { bundle, hasWebgpu, loadTiny, picture, runtime, withWorker } from "../support/bundle.js";

const never = <T>(): Promise<T> => new Promise(() => {});
const codes = (model: Model): string[] => model.warnings.map(({ code }) => code);
const stuck = (what: string): string => `worker-stuck.js?stuck=${what}`;

async function forget(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  await root.removeEntry("webbuild", { recursive: true }).catch(() => {});
  for (const name of await caches.keys()) await caches.delete(name);
}

async function names(folder: FileSystemDirectoryHandle): Promise<string[]> {
  const found: string[] = [];
  for await (const name of folder.keys()) found.push(name);
  return found;
}

/** Makes the page's time limits a hundred times shorter. */
function impatient(): void {
  const { setInterval } = globalThis;
  vi.spyOn(globalThis, "setInterval").mockImplementation(((work: () => void, milliseconds: number) =>
    setInterval(work, milliseconds / 100)) as typeof globalThis.setInterval);
}

beforeEach(forget);
afterEach(forget);
afterEach(() => vi.restoreAllMocks());

describe("a limit", () => {
  test("ends a wait for a promise that never settles", async () => {
    await expect(withLimit(never(), 50, "it")).rejects.toThrow(TimedOut);
  });

  test("does not count the time in which the thread is blocked", async () => {
    const { port1, port2 } = new MessageChannel();
    const answer = new Promise((resolve) => {
      port1.onmessage = () => setTimeout(() => resolve("answered"), 150);
    });
    const waiting = withLimit(answer, 500, "it");
    port2.postMessage(null);
    const end = performance.now() + 700;
    while (performance.now() < end);
    expect(await waiting).toBe("answered");
  });
});

describe("storage that never responds", () => {
  const file: File = {
    path: "weights.bin",
    size: 1,
    sha256: "0".repeat(64),
    encoding: "identity",
    uncompressedSize: 1,
    parts: [],
    quantization: "none",
  };
  const shelf: FileStore = {
    read: async () => null,
    write: async () => {},
    remove: async () => {},
    names: async () => [],
  };

  async function opened(open: () => Promise<FileStore | null>): Promise<[FileCache, string[]]> {
    const warned: string[] = [];
    const warn = ({ code }: { code: string }): unknown => warned.push(code);
    return [
      await FileCache.open("https://a.b/manifest.json", [file], { open, limit: () => 50, warn }),
      warned,
    ];
  }

  test("is not waited for when it is opened", async () => {
    const [kept, warned] = await opened(never);
    expect(await kept.get(file)).toBeNull();
    expect(warned).toEqual(["not-kept"]);
  });

  test("is not waited for when a file is read", async () => {
    const [kept, warned] = await opened(async () => ({ ...shelf, read: never }));
    expect(await kept.get(file)).toBeNull();
    expect(warned).toEqual(["not-kept"]);
  });

  test("is not asked again when a file could not be written", async () => {
    const write = vi.fn(() => never<void>());
    const [kept, warned] = await opened(async () => ({ ...shelf, write }));
    kept.put(file, new Uint8Array(1));
    kept.put(file, new Uint8Array(1));
    await vi.waitFor(() => expect(warned).toEqual(["not-kept"]));
    expect(write).toHaveBeenCalledTimes(1);
  });

  test.each(["directory", "handle", "reading"])(
    "does not prevent loading, and is reported: %s",
    async (what) => {
      if (what === "reading") await loadTiny({ backend: "wasm", cache: true }).then(kept);
      const model = await withWorker(stuck(what), () => loadTiny({ backend: "wasm", cache: true }));
      expect(await model.run(await picture("upright.png"))).toMatchObject({ poses: [{}, {}] });
      await vi.waitFor(() => expect(codes(model)).toEqual(["not-kept"]), { timeout: 5_000 });
    },
  );

  async function kept(model: Model): Promise<void> {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("webbuild");
    await vi.waitFor(async () => expect((await names(folder)).length).toBeGreaterThan(1));
    await model.dispose();
  }

  test.runIf(hasWebgpu)("does not prevent the first self-test of a model", async () => {
    const model = await withWorker(stuck("caches"), () => loadTiny({ backend: "webgpu" }, "golden.json"));
    expect(model.info().selfTest).toEqual({ sample: "noise", fromCache: false });
    expect(codes(model)).toEqual(["not-remembered"]);
  });
});

test("a file is cached even if garbage is collected during a storage call", async () => {
  const manifest = "parts.json";
  const model = await withWorker("worker-collecting.js", () =>
    loadTiny({ backend: "wasm", cache: true }, manifest),
  );
  const { files } = await (await fetch(bundle(manifest))).json();
  const weights = (files as File[]).find(({ path }) => path === "model/weights-0001.bin")?.sha256;
  await vi.waitFor(
    async () => {
      const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("webbuild");
      expect(await names(folder)).toContain(weights);
    },
    { timeout: 5_000 },
  );
  expect(codes(model)).toEqual([]);
});

describe("a resource that never arrives is an error with a code and a fix", () => {
  test.each(["weights.bin", "ort.wasm.min.mjs", "threaded.wasm.zst"])(
    "a stalled download: %s",
    async (name) => {
      const loading = withWorker(stuck(name), () => loadTiny({ backend: "wasm" }));
      const message = expect.stringMatching(/did not answer within 30 s/);
      await expect(loading).rejects.toMatchObject({ code: "download-failed", message });
    },
  );

  test("a worker's script", async () => {
    impatient();
    const loading = withWorker("worker-silent.js", () => loadTiny({ backend: "wasm" }));
    await expect(loading).rejects.toMatchObject({ code: "worker-failed", fix: expect.any(String) });
  });

  test("a manifest", async () => {
    impatient();
    vi.spyOn(globalThis, "fetch").mockImplementation(never);
    const loading = runtime.load(bundle("manifest.json"));
    await expect(loading).rejects.toMatchObject({ code: "download-failed", fix: expect.any(String) });
  });

  test.runIf(hasWebgpu)("an adapter", async () => {
    const loading = withWorker(stuck("adapter"), () => loadTiny({ backend: "webgpu" }));
    await expect(loading).rejects.toMatchObject({ code: "no-adapter", fix: expect.any(String) });
  });
});

test("a service worker that is never registered is a warning", async () => {
  impatient();
  vi.spyOn(navigator.serviceWorker, "register").mockImplementation(never);
  const model = await loadTiny({ backend: "wasm", offline: true });
  await vi.waitFor(() => expect(codes(model)).toEqual(["not-offline"]), { timeout: 5_000 });
});
