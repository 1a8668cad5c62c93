import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Progress } from "../../src/index.js";
import type { File } from "../../src/manifest/manifest.js";
import { sha256 } from "../../src/storage/sha256.js";
import { picture, runtime, stored, withWorker } from "../support/bundle.js";

const wasm = { backend: "wasm", cache: true } as const;
const PARTS = "parts.json";
const WANTED = [
  "model/wasm.onnx",
  "model/weights-0000.bin",
  "model/weights-0001.bin",
  "runtime/ort/ort-wasm-simd-threaded.wasm.zst",
];
let fetched: string[] = [];
/** When the visit began: late messages of an earlier worker are not part of it. */
let since = 0;
let channel: BroadcastChannel;

beforeEach(async () => {
  await forget();
  channel = new BroadcastChannel("fetched");
  channel.onmessage = ({ data: { path, born } }) => born >= since && fetched.push(path);
});

afterEach(async () => {
  channel.close();
  await forget();
});

async function forget(): Promise<void> {
  const root = await navigator.storage.getDirectory();
  const remove = (): Promise<string> =>
    root.removeEntry("webbuild", { recursive: true }).then(
      () => "removed",
      ({ name }: DOMException) => name,
    );
  // A worker that was just terminated may still have a file locked.
  await expect.poll(remove, { timeout: 20_000 }).toMatch(/^(removed|NotFoundError)$/);
  for (const name of await caches.keys()) await caches.delete(name);
}

const folder = async (): Promise<FileSystemDirectoryHandle> =>
  (await navigator.storage.getDirectory()).getDirectoryHandle("webbuild");

/** Returns the names of the cached files, without the lists. */
async function kept(): Promise<string[]> {
  const names: string[] = [];
  for await (const name of (await folder()).keys()) if (!name.startsWith("bundle-")) names.push(name);
  return names;
}

/** Returns the names and sizes of all cached files. */
async function listing(): Promise<string> {
  const found: string[] = [];
  for await (const [name, handle] of (await folder()).entries())
    if (handle instanceof FileSystemFileHandle) found.push(`${name} ${(await handle.getFile()).size}`);
  return found.join();
}

/** Files are written in the background: waits until nothing changes any more, and no file is empty. */
async function written(): Promise<void> {
  let before: string | null = null;
  for (;;) {
    const now = await listing().catch(() => "");
    if (now === before && !/ 0(,|$)/.test(now)) return;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function engineFile(): Promise<File> {
  const { files } = (await (await fetch(stored(PARTS))).json()) as { files: File[] };
  const engine = files.find(({ path }) => path === WANTED[3]);
  if (engine === undefined) throw new Error("the bundle has no engine");
  return engine;
}

/** Waits until the decompressed engine is cached. */
async function decompressed(): Promise<void> {
  const { sha256: name, uncompressedSize } = await engineFile();
  const wanted = `${name} ${uncompressedSize}`;
  await expect.poll(() => listing().catch(() => ""), { timeout: 20_000 }).toContain(wanted);
}

/** Loads, runs once, closes after `stay`, and returns the fetched files, without scripts. */
async function visit(
  script = "worker-fetching.js",
  manifest = PARTS,
  { onProgress, stay = written }: { onProgress?: (event: Progress) => void; stay?: () => Promise<void> } = {},
): Promise<{
  files: string[];
  warnings: string[];
}> {
  fetched = [];
  since = performance.timeOrigin + performance.now();
  return withWorker(script, async () => {
    const model = await runtime.load(stored(manifest), { ...wasm, onProgress });
    expect(await model.run(await picture("upright.png"))).toMatchObject({ poses: [{ label: "person" }, {}] });
    await stay();
    const warnings = model.warnings.map(({ code }) => code);
    await model.dispose();
    return { files: fetched.filter((path) => !path.endsWith(".mjs")).toSorted(), warnings };
  });
}

describe("a second visit", () => {
  test("fetches neither model nor engine", async () => {
    expect(await visit()).toEqual({ files: WANTED, warnings: [] });
    expect(await visit()).toEqual({ files: [], warnings: [] });
  });

  test("decompresses no engine", async () => {
    await visit("worker-fetching.js", PARTS, { stay: decompressed });
    const { sha256: name, uncompressedSize } = await engineFile();
    const record = await (await (await folder()).getFileHandle(name)).getFile();
    const content = new Uint8Array(await record.arrayBuffer());
    expect(content.length).toBe(uncompressedSize);
    expect(WebAssembly.validate(content)).toBe(true);
    expect((await visit()).files).toEqual([]);
  });

  test("caches the decompressed engine if the first visit was too short for that", async () => {
    await visit();
    const { sha256: name, size } = await engineFile();
    expect(await listing()).toContain(`${name} ${size}`);
    expect((await visit("worker-fetching.js", PARTS, { stay: decompressed })).files).toEqual([]);
  });

  test("reports cached bytes as loaded", async () => {
    await visit();
    const events: Progress[] = [];
    await visit("worker-fetching.js", PARTS, { onProgress: (progress) => events.push(progress) });
    const last = events.at(-1);
    expect(last?.bytesDone).toBe(last?.bytesTotal);
    expect(last?.bytesTotal).toBeGreaterThan(1_000_000);
  });

  test("uses the Cache API if there is no file system", async () => {
    expect((await visit("worker-without-files.js")).files).toEqual(WANTED);
    expect(await visit("worker-without-files.js")).toEqual({ files: [], warnings: [] });
    await expect(folder()).rejects.toThrow();
  });

  test("fetches everything again in a browser without storage", async () => {
    await visit("worker-without-store.js");
    expect(await visit("worker-without-store.js")).toEqual({ files: WANTED, warnings: [] });
  });

  test("fetches everything again if caching is off, and the cache stays empty", async () => {
    const model = await withWorker("worker-fetching.js", () =>
      runtime.load(stored(PARTS), { backend: "wasm", cache: false }),
    );
    await model.dispose();
    await expect(folder()).rejects.toThrow();
  });
});

test("writes no decompressed file before a first result", async () => {
  const writes: { bytes: number; at: number }[] = [];
  const writing = new BroadcastChannel("written");
  writing.onmessage = ({ data }) => writes.push(data);
  const { uncompressedSize } = await engineFile();
  let result = Number.POSITIVE_INFINITY;
  await visit("worker-writing.js", PARTS, {
    stay: async () => {
      result = performance.timeOrigin + performance.now();
      await decompressed();
    },
  });
  const engine = (): number[] => writes.filter(({ bytes }) => bytes === uncompressedSize).map(({ at }) => at);
  await expect.poll(engine).toHaveLength(1);
  writing.close();
  expect(engine()[0]).toBeGreaterThan(result);
});

describe("a download that was interrupted", () => {
  test("continues with the file it was at", async () => {
    const cut = withWorker("worker-fetching.js?gone=weights-0001.bin", () =>
      runtime.load(stored(PARTS), wasm),
    );
    await expect(cut).rejects.toMatchObject({
      code: "download-failed",
      message: expect.stringContaining("0001"),
    });
    expect((await visit()).files).toEqual(["model/weights-0001.bin"]);
  });

  test("weights download in parallel with the engine", async () => {
    fetched = [];
    since = performance.timeOrigin + performance.now();
    const controller = new AbortController();
    const load = withWorker(`worker-fetching.js?held=${WANTED[3]?.split("/").at(-1)}`, () =>
      runtime.load(stored(PARTS), { ...wasm, signal: controller.signal }),
    );
    const aborted = expect(load).rejects.toMatchObject({ code: "aborted" });
    await expect.poll(() => fetched, { timeout: 20_000 }).toContain("model/weights-0001.bin");
    controller.abort();
    await aborted;
  });

  test("an aborted download continues too", async () => {
    const engine = await engineFile();
    const controller = new AbortController();
    const load = withWorker("worker-fetching.js?held=weights-0001.bin", () =>
      runtime.load(stored(PARTS), { ...wasm, signal: controller.signal }),
    );
    const aborted = expect(load).rejects.toMatchObject({ code: "aborted" });
    await expect
      .poll(() => listing().catch(() => ""), { timeout: 20_000 })
      .toContain(`${engine.sha256} ${engine.size}`);
    controller.abort();
    await aborted;
    expect((await visit()).files).not.toContain(WANTED[3]);
  });
});

describe("the cache", () => {
  test("fetches a corrupt file again, and then has it whole", async () => {
    await visit();
    for (const [index, name] of (await kept()).entries()) {
      const writable = await (await (await folder()).getFileHandle(name)).createWritable({
        keepExistingData: true,
      });
      await (index % 2 === 0
        ? writable.truncate(1)
        : writable.write({ type: "write", position: 7, data: "broken" }));
      await writable.close();
    }
    expect((await visit()).files).toEqual(WANTED);
    expect((await visit()).files).toEqual([]);
  });

  test("drops files that no bundle uses any more, and keeps other bundles' files", async () => {
    await visit();
    await visit("worker-fetching.js", "manifest.json");
    const before = await kept();
    const stray = await (await folder()).getFileHandle("0".repeat(64), { create: true });
    const writable = await stray.createWritable();
    await writable.write("of an older version");
    await writable.close();
    for await (const name of (await folder()).keys()) if (name.startsWith("bundle-")) await outdate(name);
    expect((await visit("worker-fetching.js", "manifest.json")).files).toEqual([]);
    expect((await kept()).toSorted()).toEqual(before.toSorted());
  });

  test("stays empty if there is no space; the model runs and says so", async () => {
    expect(await visit("worker-full.js")).toEqual({ files: WANTED, warnings: ["not-kept"] });
    expect(await visit("worker-full.js")).toEqual({ files: WANTED, warnings: ["not-kept"] });
  });
});

/** Removes the last file from the first list and keeps the other: one bundle has changed. */
async function outdate(name: string): Promise<void> {
  const handle = await (await folder()).getFileHandle(name);
  const list: { files: string[] } = JSON.parse(await (await handle.getFile()).text());
  const writable = await handle.createWritable();
  await writable.write(JSON.stringify({ ...list, files: [...list.files, "f".repeat(64)] }));
  await writable.close();
}

test("keeps quantized weights in their stored form, and restores them on every visit", async () => {
  const weights = "model/weights.int8.gz";
  expect((await visit(undefined, "int8.json")).files).toContain(weights);
  const bytes = new Uint8Array(await (await fetch(stored(weights))).arrayBuffer());
  expect(await kept()).toContain(await sha256(bytes));
  expect((await visit(undefined, "int8.json")).files).toEqual([]);
});

test("is shared by two concurrent loads, which download each file once", async () => {
  fetched = [];
  since = performance.timeOrigin + performance.now();
  await withWorker("worker-fetching.js", async () => {
    const models = await Promise.all([1, 2].map(() => runtime.load(stored(PARTS), wasm)));
    for (const model of models)
      expect(await model.run(await picture("upright.png"))).toMatchObject({ poses: [{}, {}] });
    expect(models.flatMap(({ warnings }) => warnings)).toEqual([]);
    await Promise.all(models.map((model) => model.dispose()));
  });
  expect(fetched.filter((path) => !path.endsWith(".mjs")).toSorted()).toEqual(WANTED);
});

test("is filled again if it is deleted while a model loads", async () => {
  let evicted: Promise<void> | null = null;
  const onProgress = ({ stage, loaded }: Progress): void => {
    if (stage === "weights" && loaded > 0) evicted ??= forget();
  };
  const first = await visit("worker-fetching.js", PARTS, { onProgress });
  expect(evicted).not.toBeNull();
  await evicted;
  expect(first).toEqual({ files: WANTED, warnings: [] });
  await visit();
  expect((await visit()).files).toEqual([]);
});

describe("a page's author", () => {
  const whole = stored("manifest.json");
  const parts = stored(PARTS);

  test("can ask whether a model is cached", async () => {
    expect(await runtime.isCached(parts)).toBe(false);
    await expect(folder()).rejects.toThrow();
    await visit();
    expect(await runtime.isCached(parts)).toBe(true);
    expect(await runtime.isCached(whole)).toBe(false);
    const graph = (await kept()).find((name) => name !== "");
    await (await folder()).removeEntry(graph ?? "");
    expect(await runtime.isCached(parts)).toBe(false);
  });

  test("can ask that when the Cache API is used", async () => {
    await visit("worker-without-files.js");
    expect(await runtime.isCached(parts)).toBe(true);
    await runtime.clearCache(parts);
    expect(await runtime.isCached(parts)).toBe(false);
  });

  test("can remove a model without other models' files", async () => {
    await visit();
    await visit("worker-fetching.js", "manifest.json");
    await runtime.clearCache(parts);
    expect((await visit("worker-fetching.js", "manifest.json")).files).toEqual([]);
    await runtime.clearCache(whole);
    expect(await listing()).toBe("");
    expect(await runtime.isCached(whole)).toBe(false);
  });

  test("can remove a model in a srcdoc frame, whose location has no origin", async () => {
    await visit("worker-without-files.js", "manifest.json");
    const frame = document.createElement("iframe");
    frame.srcdoc = `<script type="module">
      import { clearCache } from ${JSON.stringify(stored("runtime/webbuild.js").href)};
      clearCache(${JSON.stringify(whole.href)}).then(() => parent.postMessage("removed"), ({ message }) => parent.postMessage(message));
    </script>`;
    const answer = new Promise((resolve) => {
      addEventListener("message", ({ data, source }) => source === frame.contentWindow && resolve(data));
    });
    document.body.append(frame);
    expect(await answer).toBe("removed");
    frame.remove();
    expect(await runtime.isCached(whole)).toBe(false);
  });

  test("gets an error for a missing manifest", async () => {
    await expect(runtime.isCached(stored("none.json"))).rejects.toMatchObject({ code: "download-failed" });
    await expect(runtime.clearCache("http://[")).rejects.toMatchObject({ code: "invalid-option" });
  });
});
