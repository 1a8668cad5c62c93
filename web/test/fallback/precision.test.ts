import { beforeEach, describe, expect, test } from "vitest";
import { supportedGraphs } from "../../src/fallback/candidates.js";
import type { Model, Tensors } from "../../src/index.js";
import type { Graph } from "../../src/manifest/manifest.js";
import { hasWebgpu, loadTiny, picture, withWorker } from "../support/bundle.js";
import { GRAPH } from "../support/graphs.js";

const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
const hasHalf = adapter?.features.has("shader-f16") ?? false;
const HALF = new Set(["shader-f16"]);

const graph = GRAPH;
const half: Graph = { ...graph, file: "model/half.onnx", features: ["shader-f16"], precision: "fp16" };

describe("order of the graphs for WebGPU", () => {
  const tried = (...given: Parameters<typeof supportedGraphs>): string[] =>
    supportedGraphs(...given).map((each) => each.graph.precision);
  const reason = (...given: Parameters<typeof supportedGraphs>): string | undefined =>
    supportedGraphs(...given)[0]?.precisionReason;

  test("the best graph for the adapter comes first, the others after it", () => {
    expect(tried([half, graph], "auto", HALF)).toEqual(["fp16", "fp32"]);
    expect(reason([half, graph], "auto", HALF)).toBe("the best that this adapter can run");
  });

  test("a graph with unsupported features is skipped if another one works", () => {
    expect(tried([half, graph], "auto", new Set())).toEqual(["fp32"]);
    expect(reason([half, graph], "auto", new Set())).toBe("this adapter has no shader-f16, which fp16 needs");
  });

  test("a single graph is always tried: the worker reports what is missing", () => {
    expect(tried([half], "fp16", new Set())).toEqual(["fp16"]);
    expect(reason([graph], "auto", null)).toBe("the bundle has no other");
    expect(reason([graph], "fp32", null)).toBe('precision "fp32" was requested');
  });
});

describe.runIf(hasWebgpu)("a bundle in two precisions", () => {
  beforeEach(() => caches.delete("webbuild-findings"));

  /** Loads and runs it; returns also the fetched graphs. */
  async function visit(
    manifest: string,
    options: Parameters<typeof loadTiny>[0] = {},
  ): Promise<{ model: Model; graphs: string[] }> {
    const channel = new BroadcastChannel("fetched");
    const graphs: string[] = [];
    channel.onmessage = ({ data: { path } }) => path.startsWith("model/") && graphs.push(path);
    try {
      return await withWorker("worker-fetching.js", async () => {
        const model = await loadTiny(options, manifest);
        expect(await model.run(await picture("upright.png"))).toMatchObject({ kind: "tensor" });
        return { model, graphs };
      });
    } finally {
      channel.close();
    }
  }

  test.runIf(!hasHalf)("runs in fp32 without shader-f16, and fetches nothing of the other", async () => {
    const { model, graphs } = await visit("half.json");
    expect(graphs).toEqual(["model/conv.onnx"]);
    expect([model.backend, model.warnings]).toEqual(["webgpu", []]);
    const reason = "this adapter has no shader-f16, which fp16 needs";
    expect(model.info()).toMatchObject({
      precision: { used: "fp32", reason },
      selfTest: { fromCache: false },
    });
  });

  test.runIf(hasHalf)("runs in fp16 with shader-f16, and fetches nothing of the other", async () => {
    const { model, graphs } = await visit("half.json");
    expect(graphs).toEqual(["model/half.onnx"]);
    expect([model.backend, model.warnings]).toEqual(["webgpu", []]);
    expect(model.info()).toMatchObject({ precision: { used: "fp16" }, selfTest: { fromCache: false } });
  });

  test("runs in the best precision that is right here, and fetches nothing of the others", async () => {
    const { model, graphs } = await visit("right-half.json");
    expect(graphs).toEqual(["model/conv.onnx"]);
    expect([model.backend, model.warnings]).toEqual(["webgpu", []]);
    const reason = "the best that this adapter can run";
    expect(model.info()).toMatchObject({
      precision: { used: "fp16", reason },
      selfTest: { fromCache: false },
    });
  });

  test.runIf(!hasHalf)("falls back if the worker's adapter has fewer features than the page's", async () => {
    const { features } = Object.getOwnPropertyDescriptors(GPUAdapter.prototype);
    Object.defineProperty(GPUAdapter.prototype, "features", { get: () => HALF, configurable: true });
    try {
      const { model, graphs } = await visit("half.json");
      expect(graphs).toEqual(["model/conv.onnx"]);
      expect([model.backend, model.info().precision.used]).toEqual(["webgpu", "fp32"]);
      const message = expect.stringContaining("the adapter has no shader-f16");
      expect(model.warnings).toMatchObject([{ code: "no-adapter", message }]);
    } finally {
      Object.defineProperty(GPUAdapter.prototype, "features", features);
    }
  });

  test("runs in the requested precision", async () => {
    const { model, graphs } = await visit("half.json", { precision: "fp32" });
    expect(graphs).toEqual(["model/conv.onnx"]);
    expect(model.info().precision).toEqual({ used: "fp32", reason: 'precision "fp32" was requested' });
    const mixed = loadTiny({ precision: "mixed" }, "half.json");
    const fix = expect.stringContaining('"fp16", "fp32"');
    await expect(mixed).rejects.toMatchObject({ code: "no-graph", fix });
  });

  test.runIf(!hasHalf)("never gives an adapter without shader-f16 a graph that needs it", async () => {
    const asked = loadTiny({ precision: "fp16" }, "half.json");
    const message = expect.stringContaining("the adapter has no shader-f16");
    await expect(asked).rejects.toMatchObject({ code: "no-adapter", message });
    const { model, graphs } = await visit("only-half.json");
    expect([model.backend, graphs]).toEqual(["wasm", ["model/conv.onnx"]]);
    expect(model.warnings).toMatchObject([{ code: "no-adapter", message }]);
  });

  test.each([{}, { backend: "webgpu" } as const])(
    "%o: is fp32 if fp16 fails its self-test, and fp16 is not tried again",
    async (options) => {
      const warning = {
        code: "self-test-failed",
        message: expect.stringMatching(/in fp16 here.*runs in fp32$/),
      };
      const first = await visit("wrong-half.json", options);
      expect(first.graphs).toEqual(["model/wrong.onnx", "model/conv.onnx"]);
      const second = await visit("wrong-half.json", options);
      expect(second.graphs).toEqual(["model/conv.onnx"]);
      for (const { model } of [first, second]) {
        expect([model.backend, model.info().precision.used]).toEqual(["webgpu", "fp32"]);
        expect(model.warnings).toMatchObject([warning]);
        expect(model.info().precision.reason).toContain("WebGPU cannot run the model in fp16 here");
      }
    },
  );

  test("is WASM if both fail, with the reason of each", async () => {
    const { model, graphs } = await visit("wrong-twice.json");
    expect(graphs).toEqual(["model/wrong.onnx", "model/weights.bin", "model/conv.onnx"]);
    expect(model.backend).toBe("wasm");
    expect(model.info().precision.used).toBe("fp32");
    expect(model.warnings.map(({ message }) => message)).toMatchObject([
      expect.stringMatching(/in mixed here.*it runs in fp32$/),
      expect.stringMatching(/WebGPU cannot run the model here.*it runs on WASM, slower$/),
    ]);
  });

  test("is fp32 if a kernel of fp16 throws, and the run is repeated there", async () => {
    const data = Float32Array.from({ length: 500 }, (_, index) => index / 500);
    const feeds: Tensors = { x: { type: "float32", dims: [1, 4, 5, 5, 5], data } };
    const model = await loadTiny({}, "throwing-half.json");
    expect(model.info().precision.used).toBe("fp16");
    const { y } = await model.runTensors(feeds);
    const again = await model.runTensors(feeds);
    expect(again.y).toEqual(y);
    expect(Math.max(...Array.from(y?.data ?? [], Number))).toBeGreaterThan(0.01);
    expect([model.backend, model.info().precision.used]).toEqual(["webgpu", "fp32"]);
    expect(model.warnings).toMatchObject([
      { code: "run-failed", message: expect.stringContaining("it runs in fp32") },
    ]);
  });
});
