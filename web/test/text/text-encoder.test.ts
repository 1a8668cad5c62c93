// Loading a text encoder in a worker that never answers: which calls wait, and what ends the load.

import { afterEach, beforeEach, expect, test } from "vitest";
import { WebbuildError } from "../../src/api/errors.js";
import type { Manifest } from "../../src/index.js";
import { TextEncoder } from "../../src/text/text-encoder.js";
import { bundle } from "../support/bundle.js";

const script = URL.createObjectURL(new Blob([""], { type: "text/javascript" }));
let started: Worker[];
let encoder: TextEncoder;

beforeEach(async () => {
  started = [];
  const manifest = (await (await fetch(bundle("manifest.json"))).json()) as Manifest;
  const textInput = {
    tokenizer: "tokenizer.json",
    length: 8,
    padding: 0,
    texts: [],
    logitScale: 1,
    logitBias: 0,
  };
  const task = { kind: "embed", output: "output0", size: 4, textInput };
  const whole = { ...manifest, textEncoder: { ...manifest, name: "text", task } } as unknown as Manifest;
  const worker = (): Worker => {
    started.push(new Worker(script));
    return started.at(-1) as Worker;
  };
  const of = TextEncoder.of(whole, bundle("manifest.json").href, { backend: "wasm", cache: false, worker });
  if (of === null) throw new Error("the manifest has no text encoder");
  encoder = of;
});

afterEach(async () => {
  await encoder.end(disposed);
  for (const worker of started) worker.terminate();
});

const disposed = new WebbuildError("disposed", "", "");

/** Resolves to "waits" if the call has not settled after a short time, else to its error's code. */
function outcome(call: Promise<unknown>): Promise<string> {
  const code = call.then(
    () => "resolved",
    (error: WebbuildError) => error.code,
  );
  return Promise.race([code, new Promise<string>((resolve) => setTimeout(resolve, 500, "waits"))]);
}

test("dispose() ends the load, and the calls that wait for it", async () => {
  const opening = encoder.open();
  const embedding = encoder.embed(["a cat"], {});
  expect(await outcome(embedding)).toBe("waits");
  await encoder.end(disposed);
  expect(await outcome(opening)).toBe("disposed");
  expect(await outcome(embedding)).toBe("disposed");
});

test("a signal ends the wait of its own call, and not the load that others wait for", async () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const first = encoder.open({ signal: one.signal });
  const second = encoder.embed(["a cat"], { signal: other.signal });
  one.abort();
  expect(await outcome(first)).toBe("aborted");
  expect(await outcome(second)).toBe("waits");
  other.abort();
  expect(await outcome(second)).toBe("aborted");
});

test("a load that no call waits for ends, and the next call begins another", async () => {
  const stopping = new AbortController();
  const first = encoder.open({ signal: stopping.signal });
  await expect.poll(() => started.length).toBe(1);
  stopping.abort();
  expect(await outcome(first)).toBe("aborted");
  expect(await outcome(encoder.open())).toBe("waits");
  expect(started.length).toBe(2);
});
