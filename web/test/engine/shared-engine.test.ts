import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LoadOptions, Model } from "../../src/index.js";
import { backends, bundle, hasWebgpu, picture, runtime } from "../support/bundle.js";

// Two bundles, each with its own copy of the runtime. One is a pose model, one a detector.
const here = bundle("");
const there = new URL("/strict/deep/down/", location.origin);
const other: typeof runtime = await import(/* @vite-ignore */ new URL("runtime/webbuild.js", there).href);
const loadHere = (options: LoadOptions, manifest = "manifest.json"): Promise<Model> =>
  kept(runtime.load(new URL(manifest, here), { cache: false, ...options }));
const loadThere = (options: LoadOptions, manifest = "detect.json"): Promise<Model> =>
  kept(other.load(new URL(manifest, there), { cache: false, ...options }));

const models: Model[] = [];
const workers: CountedWorker[] = [];
const original = globalThis.Worker;

class CountedWorker extends original {
  running = true;
  constructor(url: string | URL, options?: WorkerOptions) {
    super(String(url).replace("worker.js", "worker-counting.js"), options);
    workers.push(this);
  }
  override terminate(): void {
    this.running = false;
    super.terminate();
  }
}

async function kept(loading: Promise<Model>): Promise<Model> {
  const model = await loading;
  models.push(model);
  return model;
}

/** Returns the number of models in the page's shared workers. */
function users(): number {
  const page = globalThis as { [key: symbol]: unknown };
  const pool = page[Symbol.for("webbuild.workers.1")] as Map<string, { users: number }> | undefined;
  return [...(pool?.values() ?? [])].reduce((sum, shared) => sum + shared.users, 0);
}

const running = (): number => workers.filter((worker) => worker.running).length;

/** Returns a run's results without its timings. */
async function answer(model: Model, confidence = 0.5): Promise<unknown> {
  const { timings: _, ...result } = await model.run(await picture("upright.png"), { confidence });
  return result;
}

beforeEach(() => {
  globalThis.Worker = CountedWorker;
});

afterEach(async () => {
  globalThis.Worker = original;
  await Promise.all(models.splice(0).map((model) => model.dispose()));
  expect(running()).toBe(0);
  workers.length = 0;
});

describe.each(backends)("two bundles on %s", (backend) => {
  test("load one engine, in one worker, on one device, whichever loads first", async () => {
    const counted: string[] = [];
    const channel = new BroadcastChannel("counted");
    channel.onmessage = ({ data }) => counted.push(data);
    await Promise.all([loadHere({ backend }), loadThere({ backend })]);
    await loadThere({ backend }, "manifest.json");
    expect(workers.length).toBe(1);
    // The second device is the one that external textures are tried on.
    const devices = backend === "webgpu" ? ["device", "device"] : [];
    const once = [...devices, "download", "instance"];
    await expect.poll(() => counted.toSorted()).toEqual(once);
    channel.close();
  });

  test("give the same results as alone, also in concurrent runs", async () => {
    const alone = await loadHere({ backend });
    const poses = [await answer(alone, 0), await answer(alone, 0.9)];
    await alone.dispose();
    const [pose, detect] = await Promise.all([loadHere({ backend }), loadThere({ backend })]);
    const boxes = await answer(detect);
    expect(boxes).toMatchObject({ kind: "detect", detections: [{ label: "cup" }, {}] });
    const together = await Promise.all([
      answer(pose, 0),
      answer(detect),
      answer(pose, 0.9),
      answer(detect),
      answer(pose, 0),
    ]);
    expect(together).toEqual([poses[0], boxes, poses[1], boxes, poses[0]]);
  });

  test.each(["first", "second"])("keep working when the %s is disposed of", async (gone) => {
    const pair = [await loadHere({ backend }), await loadThere({ backend })] as const;
    const [leaver, stayer] = gone === "first" ? pair : [pair[1], pair[0]];
    const before = await answer(stayer);
    const waiting = expect(answer(leaver)).rejects.toMatchObject({ code: "disposed" });
    await leaver.dispose();
    await waiting;
    await expect(answer(leaver)).rejects.toMatchObject({ code: "disposed" });
    expect(running()).toBe(1);
    expect(await answer(stayer)).toEqual(before);
    await stayer.dispose();
    expect(running()).toBe(0);
    expect(await answer(await loadHere({ backend }))).toMatchObject({ kind: "pose" });
    expect(workers.length).toBe(2);
  });
});

test.runIf(hasWebgpu)("concurrent runs take turns on asyncify, which cannot run two at once", async () => {
  const pair = [
    await loadHere({ backend: "webgpu" }, "asyncify.json"),
    await loadThere({ backend: "webgpu" }, "asyncify.json"),
  ] as const;
  expect(workers.length).toBe(1);
  const alone = [await answer(pair[0], 0.9), await answer(pair[1], 0.3)];
  const together = [0, 1, 2].flatMap(() => [answer(pair[0], 0.9), answer(pair[1], 0.3)]);
  expect(await Promise.all(together)).toEqual([...alone, ...alone, ...alone]);
});

describe("a separate worker is used", () => {
  const wasm = { backend: "wasm" } as const;

  test("for another version of the engine", async () => {
    await Promise.all([loadHere(wasm), loadThere(wasm, "other-engine.json")]);
    expect(workers.length).toBe(2);
  });

  test.runIf(hasWebgpu)("for another build of it", async () => {
    await Promise.all([loadHere(wasm), loadThere({ backend: "webgpu" })]);
    expect(workers.length).toBe(2);
  });

  test("for a model that is traced", async () => {
    await loadHere(wasm);
    const traced = await loadThere({ ...wasm, trace: true });
    expect(traced.info().placement).toMatchObject([{ provider: "CPUExecutionProvider" }]);
    expect(workers.length).toBe(2);
  });
});

describe("a load that fails", () => {
  const backend = hasWebgpu ? "webgpu" : "wasm";
  const broken = hasWebgpu ? "broken-webgpu.json" : "unlisted.json";
  const code = hasWebgpu ? "no-session" : "invalid-manifest";

  test("affects neither the running model nor the next load", async () => {
    const model = await loadHere({ backend });
    const before = await answer(model);
    await expect(loadThere({ backend }, broken)).rejects.toMatchObject({ code });
    expect(await answer(model)).toEqual(before);
    expect(await answer(await loadThere({ backend }, "manifest.json"))).toEqual(before);
  });

  test("rejects with an error of its own copy of the runtime", async () => {
    await loadHere({ backend });
    await expect(loadThere({ backend }, broken)).rejects.toBeInstanceOf(other.WebbuildError);
  });

  test("leaves fetching the engine to the next load, which has its own files", async () => {
    const channel = new BroadcastChannel("counted");
    const fetching = new Promise<void>((resolve) => {
      channel.onmessage = ({ data }) => data === "waiting" && resolve();
    });
    const failing = loadHere({ backend }, "engine-gone.json");
    failing.catch(() => {});
    await fetching;
    const waiting = loadThere({ backend });
    await expect.poll(users).toBe(2);
    channel.postMessage("continue");
    await expect(failing).rejects.toMatchObject({ code: "download-failed" });
    expect(await answer(await waiting)).toMatchObject({ kind: "detect" });
    expect(workers.length).toBe(1);
    channel.close();
  });

  test("or is aborted affects no other load", async () => {
    const model = await loadHere({ backend });
    const controller = new AbortController();
    const onProgress = ({ stage }: { stage: string }): void => {
      if (stage === "weights") controller.abort();
    };
    const aborted = loadThere({ backend, signal: controller.signal, onProgress });
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    expect(await answer(model)).toMatchObject({ kind: "pose" });
    expect(running()).toBe(1);
  });
});
