// classify(): when it reads the picture, and which error it rejects with.

import { expect, test } from "vitest";
import type { Result, TextOptions } from "../../src/index.js";
import { classifyPicture, embedWords } from "../../src/text/text-calls.js";
import type { TextEncoder } from "../../src/text/text-encoder.js";

const vectors = [Float32Array.of(1, 0), Float32Array.of(0, 1)];
const result = { kind: "embed", embedding: Float32Array.of(0, 1) } as unknown as Result;

/** An encoder that loads until `loaded` is called. */
function slowEncoder(): { encoder: TextEncoder; loaded: () => void; failed: (error: Error) => void } {
  let [loaded, failed] = [(): void => {}, (_: Error): void => {}];
  const loading = new Promise<void>((resolve, reject) => {
    [loaded, failed] = [resolve, reject];
  });
  const embed = (): Promise<Float32Array[]> => loading.then(() => vectors);
  const spec = { logitScale: 1, logitBias: null };
  return { encoder: { embed, spec } as unknown as TextEncoder, loaded, failed };
}

test("the picture is read at the call, and not after the text encoder is loaded", async () => {
  const { encoder, loaded } = slowEncoder();
  let runs = 0;
  const run = async (): Promise<Result> => {
    runs += 1;
    return result;
  };
  const scores = classifyPicture(encoder, run, ["a cat", "a dog"], {});
  expect(runs).toBe(1);
  loaded();
  expect((await scores).map(({ label }) => label)).toEqual(["a dog", "a cat"]);
});

test("labels that the caller changes after the call keep their scores", async () => {
  const { encoder, loaded } = slowEncoder();
  const labels = ["a cat", "a dog"];
  const scores = classifyPicture(encoder, async () => result, labels, {});
  labels.reverse();
  loaded();
  expect((await scores)[0]).toMatchObject({ label: "a dog", cosine: 1 });
});

test("an unreadable picture rejects at once, a failed text encoder with its error", async () => {
  const one = slowEncoder();
  const unreadable = (): Promise<Result> => Promise.reject(new Error("no picture"));
  await expect(classifyPicture(one.encoder, unreadable, ["a"], {})).rejects.toThrow("no picture");
  one.failed(new Error("ignored"));
  const other = slowEncoder();
  const scores = classifyPicture(other.encoder, async () => result, ["a"], {});
  other.failed(new Error("no encoder"));
  await expect(scores).rejects.toThrow("no encoder");
});

test.each([
  [{ template: "a photo of a {}" }, "leave template out: "],
  [{ signal: new AbortController() }, "an AbortSignal"],
  [null, "takes the options templates, signal"],
])("options that no call with text has are refused: %o", async (options, fix) => {
  const { encoder } = slowEncoder();
  const wanted = { code: "invalid-option", fix: expect.stringContaining(fix) };
  await expect(embedWords(encoder, "a cat", options as TextOptions)).rejects.toMatchObject(wanted);
  const scores = classifyPicture(encoder, async () => result, ["a cat"], options as TextOptions);
  await expect(scores).rejects.toMatchObject(wanted);
});
