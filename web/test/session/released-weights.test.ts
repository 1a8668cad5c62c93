import { expect, test } from "vitest";
import type { Graph } from "../../src/manifest/manifest.js";
import { createOrRefetch, fetchGraph } from "../../src/session/graph-bytes.js";
import { ReleasedWeights } from "../../src/session/released-weights.js";
import type { Downloads } from "../../src/storage/download.js";
import { GRAPH } from "../support/graphs.js";

const KB = 1024;
const content = Uint8Array.from({ length: 300 * KB + 5 }, (_, at) => at % 251);

test("a tensor is returned with the bytes of its file range, also across chunks", () => {
  const weights = new ReleasedWeights(content.slice());
  expect(weights.byteLength).toBe(content.byteLength);
  for (const [begin, end] of [
    [0, 16],
    [60 * KB, 200 * KB + 3],
    [200 * KB + 3, content.byteLength],
  ] as const)
    expect(weights.subarray(begin, end)).toEqual(content.subarray(begin, end));
});

test("the chunks that a tensor covers are freed, those at its ends are not", () => {
  const weights = new ReleasedWeights(content.slice());
  weights.subarray(60 * KB, 200 * KB);
  expect(weights.subarray(0, 64 * KB)).toEqual(content.subarray(0, 64 * KB));
  expect(weights.wasReadTwice).toBe(false);
  expect(() => weights.subarray(60 * KB, 200 * KB)).toThrow("were freed");
  expect(weights.wasReadTwice).toBe(true);
});

test("a file is freed as soon as it is split", () => {
  const own = content.slice();
  expect(new ReleasedWeights(own).subarray(7, 9)).toEqual(content.subarray(7, 9));
  expect(own.byteLength).toBe(0);
});

test("a shorter last chunk is freed", () => {
  const weights = new ReleasedWeights(content.slice());
  weights.subarray(256 * KB, content.byteLength);
  expect(() => weights.subarray(content.byteLength - 1, content.byteLength)).toThrow("were freed");
});

const LARGE: Graph = { ...GRAPH, file: "model/graph.onnx", weights: ["model/weights.bin"] };

/** Files of 300 kB that have another size in the manifest. */
function downloads(size: number, owned = true): Downloads {
  const get = async (): Promise<Uint8Array<ArrayBuffer>> => content.slice();
  return { get, uncompressedSize: () => size, owns: async () => owned } as unknown as Downloads;
}

test("only large weights are freed, and not while they are cached or still being written", async () => {
  const isReleased = async (size: number, kept: boolean, owned = true): Promise<boolean> => {
    const { weights } = await fetchGraph(LARGE, downloads(size, owned), undefined, kept);
    return weights[0]?.data instanceof ReleasedWeights;
  };
  expect(await isReleased(2 ** 25, false)).toBe(true);
  expect(await isReleased(2 ** 25, true)).toBe(false);
  expect(await isReleased(2 ** 20, false)).toBe(false);
  expect(await isReleased(2 ** 25, false, false)).toBe(false);
});

test("an engine that reads a tensor twice gets the weights again, and keeps them", async () => {
  const fetch = (kept: boolean) => fetchGraph(LARGE, downloads(2 ** 25), undefined, kept);
  const created: string[] = [];
  const readTwice = async ({ weights }: Awaited<ReturnType<typeof fetch>>): Promise<string> => {
    created.push(weights[0]?.path ?? "");
    weights[0]?.data.subarray(0, 100 * KB);
    return weights[0]?.data.subarray(0, 100 * KB).byteLength === 100 * KB ? "session" : "none";
  };
  expect(await createOrRefetch(await fetch(false), () => fetch(true), readTwice)).toBe("session");
  expect(created).toEqual(["weights.bin", "weights.bin"]);
});

test("a session that fails for another reason is not tried again", async () => {
  const bytes = await fetchGraph(LARGE, downloads(2 ** 25));
  let tries = 0;
  const fail = async (): Promise<never> => {
    tries += 1;
    throw new Error("no kernel");
  };
  await expect(createOrRefetch(bytes, async () => bytes, fail)).rejects.toThrow("no kernel");
  expect(tries).toBe(1);
});
