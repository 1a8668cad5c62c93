import { afterEach, expect, test, vi } from "vitest";
import { loadIndex } from "../../src/search/picture-index.js";

const said = { format: 1, model: { name: "clip" }, dimension: 2, names: ["a.jpg", "b.jpg"] };

function serve(json: unknown, vectors: Float32Array<ArrayBuffer>): string[] {
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (url: string) => {
    asked.push(url);
    return url.includes(".json") ? Response.json(json) : new Response(vectors);
  });
  return asked;
}

afterEach(() => vi.unstubAllGlobals());

test("both files are fetched in parallel", async () => {
  const asked = serve(said, Float32Array.of(1, 0, 0, 1));
  const index = await loadIndex("https://a.example/x/photos.json?v=2");
  expect(asked.sort()).toEqual(["https://a.example/x/photos.bin?v=2", "https://a.example/x/photos.json?v=2"]);
  expect(index.names).toEqual(["a.jpg", "b.jpg"]);
  expect([...index.vectors]).toEqual([1, 0, 0, 1]);
  expect(index.dimension).toBe(2);
});

test.each([
  ["another version", { ...said, format: 2 }],
  ["names that are none", { ...said, names: ["a", 2] }],
  ["another number of names", { ...said, names: ["a"] }],
  ["no object", null],
])("%s is an error", async (_, json) => {
  serve(json, Float32Array.of(1, 0, 0, 1));
  await expect(loadIndex("https://a.example/photos.json")).rejects.toMatchObject({ code: "invalid-index" });
});

test("an index that names another site's file is an error", async () => {
  await expect(loadIndex("https://a.example/photos")).rejects.toMatchObject({ code: "invalid-index" });
});

test("a file that is not deployed is named", async () => {
  vi.stubGlobal("fetch", async () => new Response("", { status: 404 }));
  const failed = loadIndex("https://a.example/photos.json");
  await expect(failed).rejects.toMatchObject({
    code: "download-failed",
    message: expect.stringContaining("404"),
  });
});

test("an option that it does not have is refused", async () => {
  const options = { cache: false } as { signal?: AbortSignal };
  const loading = loadIndex("https://a.example/photos.json", options);
  await expect(loading).rejects.toMatchObject({ code: "invalid-option" });
});

test("loading stops with its signal", async () => {
  const stop = AbortSignal.abort();
  vi.stubGlobal("fetch", async () => {
    throw stop.reason;
  });
  const failed = loadIndex("https://a.example/photos.json", { signal: stop });
  await expect(failed).rejects.toMatchObject({ code: "aborted" });
});
