import { afterEach, describe, expect, test, vi } from "vitest";
import { WebbuildError } from "../../src/api/errors.js";
import type { Tensors } from "../../src/index.js";
import { Connection } from "../../src/worker/connection.js";
import { backends, hasWebgpu, loadTiny, picture, runtime, withWorker } from "../support/bundle.js";
import { memoryUse } from "../support/measured.js";

const disposed = new WebbuildError("disposed", "", "");

describe.runIf(hasWebgpu)("dispose()", () => {
  test("resolves when the worker, which others use, has released the model's buffers", async () => {
    await withWorker("worker-measured.js", async () => {
      const stays = await loadTiny({ backend: "webgpu" });
      const goes = await loadTiny({ backend: "webgpu" });
      const { buffers: both } = await memoryUse();
      await goes.dispose();
      expect((await memoryUse()).buffers).toBeLessThan(both);
      expect(await stays.run(await picture("upright.png"))).toMatchObject({ backend: "webgpu" });
    });
  });
});

describe.each(backends)("a model on %s", (backend) => {
  test("is disposed of at the end of its block", async () => {
    let kept: Awaited<ReturnType<typeof loadTiny>>;
    {
      await using model = await loadTiny({ backend });
      kept = model;
      expect(await model.run(await picture("upright.png"))).toMatchObject({ backend });
    }
    expect(kept).toBeInstanceOf(runtime.Model);
    await expect(kept.run(await picture("upright.png"))).rejects.toMatchObject({ code: "disposed" });
  });
});

describe("dispose(), alone in a worker,", () => {
  test("is idempotent, and nothing works after it", async () => {
    const model = await loadTiny({ backend: "wasm" });
    await model.dispose();
    await model.dispose();
    const image = await picture("upright.png");
    await expect(model.run(image)).rejects.toMatchObject({
      code: "disposed",
      fix: expect.stringContaining("load"),
    });
    await expect(model.preprocess(image)).rejects.toMatchObject({ code: "disposed" });
    const data = new Float32Array(3 * 32 * 32);
    const feeds: Tensors = { image: { type: "float32", dims: [1, 3, 32, 32], data } };
    await expect(model.runTensors(feeds)).rejects.toMatchObject({ code: "disposed" });
  });

  test("ends a run in progress", async () => {
    const model = await loadTiny({ backend: "wasm" });
    const run = model.run(await picture("upright.png"));
    await Promise.all([expect(run).rejects.toMatchObject({ code: "disposed" }), model.dispose()]);
  });
});

/** A worker that answers a release when the test says so. */
const ANSWERS_LATE = `
  let answer = () => {};
  onmessage = ({ data: port }) => {
    if (port === "answer") return answer();
    port.onmessage = ({ data: { id, path } }) => {
      if (path?.[0] === "release") answer = () => port.postMessage({ id, type: "RAW" });
    };
  };`;

test("the end of a model waits for its worker", async () => {
  const worker = new Worker(URL.createObjectURL(new Blob([ANSWERS_LATE])));
  const [first, second] = ["late", "late"].map((key) => new Connection(key, () => worker));
  const ended = vi.fn();
  const ending = first?.end(disposed).then(ended);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(ended).not.toHaveBeenCalled();
  worker.postMessage("answer");
  await ending;
  await second?.end(disposed);
});

test("pictures that come back with an error after the abort are closed", async () => {
  const connection = new Connection(null, () => new Worker(URL.createObjectURL(new Blob([]))));
  const picture = await createImageBitmap(new ImageData(4, 3));
  const failed = new WebbuildError("run-failed", "", "");
  failed.pictures = [picture];
  const aborting = new AbortController();
  let fail = (_: WebbuildError): void => {};
  const running = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const call = connection.call(() => running, aborting.signal);
  aborting.abort();
  await expect(call).rejects.toMatchObject({ code: "aborted" });
  fail(failed);
  await expect.poll(() => picture.width).toBe(0);
  await connection.end(disposed);
});

test("a worker option that returns no worker is an error, and the next load is not affected", async () => {
  const wrong = async (): Promise<void> => {};
  expect(() => new Connection("option", wrong as never)).toThrow(/worker: .* Promise/);
  const right = new Connection("option", () => new Worker(URL.createObjectURL(new Blob([]))));
  await right.end(disposed);
});

describe("a worker that does not answer", () => {
  const silent = URL.createObjectURL(new Blob([]));
  const pair = (): [Connection, Connection] => {
    const start = (): Worker => new Worker(silent);
    return [new Connection("silent", start), new Connection("silent", start)];
  };

  afterEach(() => void vi.useRealTimers());

  test("is waited for ten seconds", async () => {
    const [first, second] = pair();
    vi.useFakeTimers();
    const ended = vi.fn();
    void first.end(disposed).then(ended);
    await vi.advanceTimersByTimeAsync(9000);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1100);
    expect(ended).toHaveBeenCalled();
    await second.end(disposed);
  });

  test("is not waited for if its last model ends it", async () => {
    const [first, second] = pair();
    vi.useFakeTimers();
    await Promise.all([first.end(disposed), second.end(disposed)]);
  });
});
