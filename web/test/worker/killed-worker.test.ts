// A worker that the browser kills, as it may do when memory is short: it sends no further message.

import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { backends, bundle, loadTiny, picture, runtime } from "../support/bundle.js";

const times = inject("times");
const failed = { code: "worker-failed", message: expect.stringContaining("the browser ended it") };
let image: Blob;
/** The workers that were started, the latest last. */
let workers: Worker[];

beforeAll(async () => {
  image = await picture("upright.png");
});

beforeEach(() => {
  const original = globalThis.Worker;
  workers = [];
  globalThis.Worker = class extends original {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      workers.push(this);
    }
  };
  onTestFinished(() => {
    globalThis.Worker = original;
  });
});

/** Kills the current worker while the next such call is sent to it: if killed later, it might answer before. */
function killIn(method: "ready" | "run"): void {
  const { postMessage } = MessagePort.prototype;
  MessagePort.prototype.postMessage = function (this: MessagePort, ...given: never) {
    if (Object(given[0]).path?.join(".") === method) {
      MessagePort.prototype.postMessage = postMessage;
      workers.at(-1)?.terminate();
    }
    postMessage.apply(this, given);
  } as typeof postMessage;
}

describe.each(backends)("a worker that is killed, on %s,", (backend) => {
  test("in a run: that run says so, the next is answered by another worker", { tags: ["soak"] }, async () => {
    // No heap is measured: Chromium waits half a minute for a killed worker's memory.
    for (let turn = 0; turn < times; turn++) {
      const model = await runtime.load(bundle("conv.json"), { backend, cache: false });
      const { timings: _, ...right } = await model.run(image);
      const before = workers.length;
      killIn("run");
      await expect(model.run(image)).rejects.toMatchObject(failed);
      const { timings: __, ...again } = await model.run(image);
      expect(again).toEqual(right);
      expect([workers.length, model.backend]).toEqual([before + 1, backend]);
      expect(model.warnings).toMatchObject([{ code: "worker-failed" }]);
      await model.dispose();
      workers.splice(0);
    }
  });

  test("with two models: both go on in one worker", async () => {
    const models = [await loadTiny({ backend }, "conv.json"), await loadTiny({ backend }, "conv.json")];
    expect(workers).toHaveLength(1);
    killIn("run");
    await Promise.allSettled(models.map((model) => model.run(image)));
    for (const model of models) expect(await model.run(image)).toMatchObject({ backend });
    expect(workers).toHaveLength(2);
  });

  test("while another model joins it: that load says so, both models load again", async () => {
    const model = await loadTiny({ backend }, "conv.json");
    killIn("ready");
    await expect(loadTiny({ backend }, "conv.json")).rejects.toMatchObject(failed);
    expect(await model.run(image)).toMatchObject({ backend });
    expect(await (await loadTiny({ backend }, "conv.json")).run(image)).toMatchObject({ backend });
    expect(workers).toHaveLength(2);
  });

  test("is not taken for killed when another model that shares it is disposed", async () => {
    const { request } = LockManager.prototype;
    const grants = vi.fn();
    // Chromium sometimes grants a lock after its request was aborted.
    LockManager.prototype.request = async function (this: LockManager, name: string, ...given: unknown[]) {
      const granted = given.at(-1) as () => unknown;
      return request.call(this, name, {}, () => Promise.resolve(granted()).finally(grants));
    } as LockManager["request"];
    onTestFinished(() => {
      LockManager.prototype.request = request;
    });
    const models = [await loadTiny({ backend }, "conv.json"), await loadTiny({ backend }, "conv.json")];
    await models[0]?.dispose();
    await vi.waitFor(() => expect(grants).toHaveBeenCalledOnce());
    expect(await models[1]?.run(image)).toMatchObject({ backend });
    expect([workers.length, models[1]?.warnings]).toEqual([1, []]);
  });

  test("when idle: the next run uses another worker", async () => {
    const model = await loadTiny({ backend }, "conv.json");
    workers.at(-1)?.terminate();
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await model.run(image)).toMatchObject({ backend });
    expect(model.warnings).toMatchObject([{ code: "worker-failed" }]);
    expect(workers).toHaveLength(2);
  });
});
