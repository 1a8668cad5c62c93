import { describe, expect, test } from "vitest";
import type { Progress } from "../../src/index.js";
import {
  backends,
  bundle,
  hasWebgpu,
  keepEngine,
  loadTiny,
  picture,
  runtime,
  stored,
  withWorker,
} from "../support/bundle.js";

const { load } = runtime;

describe.runIf(hasWebgpu)("webgpu", () => {
  test("auto chooses it, with the JSPI build", async () => {
    const model = await loadTiny();
    expect(model.backend).toBe("webgpu");
    expect(model.warnings).toEqual([]);
    const doubtful = await loadTiny({}, "doubtful.json");
    expect(doubtful.warnings).toMatchObject([
      { code: "doubtful-answers", message: "scores are near chance" },
    ]);
    expect(model.reason).toContain("WebGPU");
    expect(model.info()).toMatchObject({ engine: { version: "1.30.0", build: "jspi" }, placement: null });
    expect(model.info().adapter?.vendor).not.toBe("");
  });

  test("a bundle without JSPI runs on the asyncify build", async () => {
    const model = await loadTiny({ backend: "webgpu" }, "asyncify.json");
    expect(model.info().engine.build).toBe("asyncify");
    const result = await model.run(await picture("upright.png"));
    expect(result).toMatchObject({ kind: "pose", backend: "webgpu", poses: [{ label: "person" }, {}] });
  });

  test("every node is on the GPU", async () => {
    const { placement } = (await loadTiny({ backend: "webgpu", trace: true })).info();
    expect(placement).toEqual([{ provider: "WebGpuExecutionProvider", count: 21, nodes: [] }]);
  });

  test("a partitioned graph is traced node by node", async () => {
    const { placement } = (await loadTiny({ backend: "webgpu", trace: true }, "mixed.json")).info();
    const cpu = placement?.find(({ provider }) => provider === "CPUExecutionProvider");
    expect(cpu?.nodes.map(({ op }) => op)).toContain("NonZero");
    for (const { count, nodes } of placement ?? []) expect(nodes.length).toBe(count);
  });

  test("auto falls back to WASM if no session can be created, and says so", async () => {
    const model = await loadTiny({}, "broken-webgpu.json");
    expect(model.backend).toBe("wasm");
    expect(model.warnings).toMatchObject([{ code: "no-session" }]);
    expect(model.reason).toContain("no webgpu session");
  });

  test("an explicitly requested backend never falls back", async () => {
    await expect(loadTiny({ backend: "webgpu" }, "broken-webgpu.json")).rejects.toMatchObject({
      code: "no-session",
    });
  });
});

describe("wasm", () => {
  test("runs on the small engine build", async () => {
    const model = await loadTiny({ backend: "wasm" });
    expect(model.backend).toBe("wasm");
    expect(model.reason).toContain("requested");
    expect(model.info()).toMatchObject({ engine: { build: "wasm" }, adapter: null });
  });

  test("is auto's choice without WebGPU, with a reason", async () => {
    const model = await withWorker("worker-without-gpu.js", () => loadTiny());
    expect(model.backend).toBe("wasm");
    expect(model.warnings).toMatchObject([{ code: "no-adapter", fix: expect.stringMatching(/browser/) }]);
  });

  test("is not used if WebGPU was requested", async () => {
    const wanted = withWorker("worker-without-gpu.js", () => loadTiny({ backend: "webgpu" }));
    await expect(wanted).rejects.toMatchObject({ code: "no-adapter" });
  });

  test("is auto's choice if the bundle has no WebGPU graph", async () => {
    const model = await loadTiny({}, "no-webgpu.json");
    expect(model.warnings).toMatchObject([{ code: "no-graph" }]);
  });

  test("is auto's choice if WebGPU would fail, with a reason", async () => {
    const model = await loadTiny({}, "disabled-target.json");
    expect(model.backend).toBe("wasm");
    const message = expect.stringContaining("webgpu would fail: Cast 'a': no session can be created");
    expect(model.warnings).toMatchObject([
      { code: "no-graph", message, fix: expect.stringMatching(/unimplemented-dtype/) },
    ]);
  });

  test.runIf(hasWebgpu)("is auto's choice if the adapter lacks a required feature", async () => {
    const model = await withWorker("worker-without-f16.js", () => loadTiny({}, "featured.json"));
    expect(model.backend).toBe("wasm");
    const message = expect.stringContaining("the adapter has no shader-f16");
    expect(model.warnings).toMatchObject([{ code: "no-adapter", message }]);
  });
});

describe("threads", () => {
  test.each(backends)("%s uses half the cores, four threads at most", async (backend) => {
    expect(crossOriginIsolated).toBe(true);
    const model = await withWorker("worker-with-eight-cores.js", () => loadTiny({ backend }));
    expect(model.info().engine.threads).toBe(4);
    const result = await model.run(await picture("upright.png"), { confidence: 0 });
    expect(result).toMatchObject({ backend: "wasm", poses: [{ label: "person" }, {}, {}, {}] });
  });
});

describe("progress", () => {
  test("stages come in order, and end before load() resolves", async () => {
    const events: Progress[] = [];
    const backend = hasWebgpu ? "webgpu" : "wasm";
    await loadTiny({ backend, onProgress: (progress) => events.push(progress) });
    const stages = ["engine", "weights", "session", "warmup"];
    expect([...new Set(events.map(({ stage }) => stage))]).toEqual(stages);
    for (const stage of stages) expectForward(events.filter((progress) => progress.stage === stage));
    const heard = events.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(events.length).toBe(heard);
  });

  test("a listener that throws does not stop the loading", async () => {
    const reported = new Promise((resolve) => addEventListener("error", resolve, { once: true }));
    addEventListener("error", (event) => event.preventDefault(), { once: true });
    let thrown = false;
    const onProgress = (): void => {
      if (thrown) return;
      thrown = true;
      throw new Error("the listener's own");
    };
    await loadTiny({ backend: "wasm", onProgress });
    await reported;
  });

  function expectForward(events: readonly Progress[]): void {
    const loaded = events.map((progress) => progress.loaded);
    expect(loaded).toEqual(loaded.toSorted((a, b) => a - b));
    if (events[0]?.stage !== "weights") expect(loaded[0]).toBe(0); // weights download in parallel with the engine
    expect(events.at(-1)).toMatchObject({ loaded: events[0]?.total });
    expect(events[0]?.total).toBeGreaterThan(0);
  }
});

describe("a bundle in a deep subfolder of a site, under a strict policy", () => {
  test.each(backends)("%s", async (backend) => {
    const site = new URL("/strict/deep/down/", location.origin);
    const strict: typeof runtime = await import(/* @vite-ignore */ new URL("runtime/webbuild.js", site).href);
    const model = await strict.load(new URL("manifest.json", site), { backend, cache: false });
    expect(await model.run(await picture("upright.png"))).toMatchObject({ backend, poses: [{}, {}] });
    await model.dispose();
  });
});

const wasm = { backend: "wasm", cache: false } as const;

describe("files", () => {
  keepEngine("wasm");

  test("a file with another hash is refused", async () => {
    await expect(loadTiny(wasm, "corrupt.json")).rejects.toMatchObject({
      name: "WebbuildError",
      code: "corrupt-file",
      message: expect.stringContaining("weights.bin"),
      fix: expect.stringContaining("deploy"),
    });
  });

  test("a file of another size is refused", async () => {
    await expect(loadTiny(wasm, "short.json")).rejects.toMatchObject({ code: "corrupt-file" });
  });

  test("a corrupt file does not cause a fallback", async () => {
    await expect(loadTiny({}, "corrupt.json")).rejects.toMatchObject({ code: "corrupt-file" });
  });

  test.runIf(hasWebgpu)("a missing file is named", async () => {
    const message = expect.stringMatching(/gone\.onnx.*404/);
    await expect(loadTiny({}, "missing.json")).rejects.toMatchObject({ code: "download-failed", message });
  });

  test("a file that the manifest does not list is refused", async () => {
    await expect(loadTiny(wasm, "unlisted.json")).rejects.toMatchObject({ code: "invalid-manifest" });
  });

  test("a relative address is resolved against the page", async () => {
    const model = await load("/bundle/manifest.json", wasm);
    expect(model.manifest.name).toBe("tiny");
    await model.dispose();
  });
});

describe("the engine", () => {
  test("the engine from a host that decompresses it is accepted", async () => {
    const model = await load(new URL("/inflating/manifest.json", location.origin), wasm);
    expect(await model.run(await picture("upright.png"))).toMatchObject({ poses: [{ label: "person" }, {}] });
    await model.dispose();
  });

  test("an engine that decompresses to other content of the same size is refused", async () => {
    const loading = load(new URL("/inflating/other-content.json", location.origin), wasm);
    const message = expect.stringMatching(
      /wasm\.zst .* nor decompressed by the host, sha256 .* wanted 0{64}/,
    );
    await expect(loading).rejects.toMatchObject({ code: "corrupt-file", message });
    await (await load(stored("other-content.json"), wasm)).dispose();
  });

  test("for a decompressed engine without a hash in the manifest, the fix is to pack again", async () => {
    const loading = load(new URL("/inflating/without-inner-hash.json", location.origin), wasm);
    const fix = expect.stringMatching(/^pack the model again/);
    await expect(loading).rejects.toMatchObject({ code: "corrupt-file", fix });
    await (await load(stored("without-inner-hash.json"), wasm)).dispose();
  });

  test("a missing worker script is an error, not an endless wait", async () => {
    const wanted = withWorker("no-such-worker.js", () => loadTiny(wasm));
    const fix = expect.stringContaining("runtime/worker.js is deployed");
    await expect(wanted).rejects.toMatchObject({ code: "worker-failed", fix });
  });
});

describe("aborting", () => {
  test("before the load begins", async () => {
    const signal = AbortSignal.abort();
    await expect(load(bundle("manifest.json"), { signal })).rejects.toMatchObject({ code: "aborted" });
  });

  test("leaves no listener, also if no graph is for the backend", async () => {
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (name: string, listener: EventListener) => {
      listeners.add(listener);
      add(name, listener);
    };
    signal.removeEventListener = (name: string, listener: EventListener) => {
      listeners.delete(listener);
      remove(name, listener);
    };
    const loading = load(bundle("no-webgpu.json"), { backend: "webgpu", signal });
    await expect(loading).rejects.toMatchObject({ code: "no-graph" });
    expect(listeners.size).toBe(0);
  });

  test("during the load", async () => {
    const controller = new AbortController();
    const onProgress = ({ stage }: Progress): void => {
      if (stage === "weights") controller.abort();
    };
    const loading = loadTiny({ backend: "wasm", signal: controller.signal, onProgress });
    await expect(loading).rejects.toMatchObject({ code: "aborted" });
  });
});
