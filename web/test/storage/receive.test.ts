import { beforeAll, describe, expect, test } from "vitest";
import type { File } from "../../src/manifest/manifest.js";
import { Downloads } from "../../src/storage/download.js";
import { FileCache } from "../../src/storage/file-cache.js";
import { sha256 } from "../../src/storage/sha256.js";
import { bundle } from "../support/bundle.js";

const WEIGHTS = "model/weights.bin";
const STORED = "model/weights.int8.gz";
const SIZE = 3136;
let files: File[] = [];

beforeAll(async () => {
  files = ((await (await fetch(bundle("int8.json"))).json()) as { files: File[] }).files;
});

/** Downloads a file from a host with the fault `what`; returns also its progress and the requested ranges. */
async function downloaded(what: string, path = WEIGHTS, signal = new AbortController().signal) {
  const id = crypto.randomUUID();
  const address = new URL(`/bad/${path}?id=${id}&${what}`, location.origin).href;
  const locations = { base: location.href, addresses: { [path]: address } };
  const downloads = new Downloads(locations, files, FileCache.none(), signal);
  let counted = 0;
  const content = await downloads
    .get(path, (bytes) => {
      counted += bytes;
    })
    .catch((error: unknown) => error);
  const ranges: string[] = await (await fetch(`/bad/log?id=${id}`)).json();
  return { content, counted, ranges };
}

async function expectWeights(content: unknown): Promise<void> {
  expect(content).toBeInstanceOf(Uint8Array);
  const { sha256: hash } = files.find(({ path }) => path === WEIGHTS) as File;
  expect(await sha256(content as Uint8Array<ArrayBuffer>)).toBe(hash);
}

describe("a truncated download", () => {
  test("continues where it ended", async () => {
    const { content, counted, ranges } = await downloaded("cut=1000");
    await expectWeights(content);
    expect(ranges).toEqual(["", "bytes=1000-", "bytes=2000-", "bytes=3000-"]);
    expect(counted).toBe(SIZE);
  });

  test("continues if it is compressed too", async () => {
    const { content, ranges } = await downloaded("cut=40&times=2", STORED);
    expect(content).toHaveLength(32 + SIZE);
    expect(ranges).toEqual(["", "bytes=40-", "bytes=80-"]);
  });

  test("begins again on a host without ranges", async () => {
    const { content, counted, ranges } = await downloaded("cut=1000&times=1&ranges=no");
    await expectWeights(content);
    expect(ranges).toEqual(["", "bytes=1000-"]);
    expect(counted).toBe(SIZE);
  });

  test("at the same position each time is an error", async () => {
    const { content, ranges } = await downloaded("cut=1000&ranges=no");
    expect(content).toMatchObject({ code: "download-failed" });
    expect(ranges).toEqual(["", "bytes=1000-", ""]);
  });

  test("is fetched whole if the file was replaced meanwhile", async () => {
    const { content, ranges } = await downloaded("cut=1000&times=1&ranges=other");
    await expectWeights(content);
    expect(ranges).toEqual(["", "bytes=1000-", ""]);
  });

  test("is not retried when it was aborted", async () => {
    const controller = new AbortController();
    const loading = downloaded("status=503", WEIGHTS, controller.signal);
    setTimeout(() => controller.abort(), 300);
    const { content, ranges } = await loading;
    expect(content).toMatchObject({ code: "aborted" });
    expect(ranges).toEqual([""]);
  });
});

describe("a server", () => {
  test("that is busy is asked again", async () => {
    const { content, ranges } = await downloaded("status=503&times=1");
    await expectWeights(content);
    expect(ranges).toEqual(["", ""]);
  });

  test("that stays busy is an error", async () => {
    const { content, ranges } = await downloaded("status=503");
    const message = expect.stringContaining("503");
    expect(content).toMatchObject({ code: "download-failed", message });
    expect(ranges).toHaveLength(3);
  });

  test("that no longer has the file is not asked again", async () => {
    const { content, ranges } = await downloaded("status=404");
    const fix = expect.stringContaining("reload the page if the bundle was deployed again");
    expect(content).toMatchObject({ code: "download-failed", fix });
    expect(ranges).toEqual([""]);
  });

  test("that declares too short a length is asked again", async () => {
    const { content, ranges } = await downloaded("length=1000&times=1");
    await expectWeights(content);
    expect(ranges).toEqual(["", ""]);
  });

  test("that always declares too short a length is an error", async () => {
    const { content } = await downloaded("length=1000");
    const message = expect.stringContaining(`1000 bytes, wanted ${SIZE}`);
    expect(content).toMatchObject({ code: "corrupt-file", message });
  });

  test("that declares too long a length is asked for the rest, gets nothing, and is an error", async () => {
    const { content } = await downloaded("length=9000");
    expect(content).toMatchObject({ code: "download-failed" });
  });

  test("that never ends is stopped", async () => {
    const { content } = await downloaded("endless");
    expect(content).toMatchObject({ code: "corrupt-file" });
    const [, length = ""] = /: (\d+) bytes, wanted/.exec((content as Error).message) ?? [];
    expect(Number(length)).toBeGreaterThan(SIZE);
    expect(Number(length)).toBeLessThan(4_000_000);
  });

  test("is not trusted about the content type", async () => {
    const { content } = await downloaded("type=text/html");
    await expectWeights(content);
  });
});
