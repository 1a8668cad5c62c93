import { describe, expect, test } from "vitest";
import type { Model, PoseResult, Result, TensorData, Tensors } from "../../src/index.js";
import native from "../fixture/answers/native.json" with { type: "json" };
import { backends, hasWebgpu, keepEngine, loadTiny, picture, sharedTiny } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";

for (const backend of backends) keepEngine(backend);

/** The input of the native reference results. */
function ramp(): TensorData {
  const data = Float32Array.from({ length: 3 * 32 * 32 }, (_, index) => (index % 251) / 250);
  return { type: "float32", dims: [1, 3, 32, 32], data };
}

function poses(result: Result): PoseResult["poses"] {
  if (result.kind !== "pose") throw new Error(`a ${result.kind} result`);
  return result.poses;
}

describe.each(backends)("%s", (backend) => {
  const tiny = sharedTiny({ backend });
  test("results equal native ONNX Runtime's", async () => {
    const outputs = await tiny().runTensors({ image: ramp() });
    expectClose(numbers(outputs.detections), native.detections, 1e-4);
    if (backend === "webgpu") expectClose(numbers(outputs.status), native.status, 0);
    else expect(Object.keys(outputs)).toEqual(["detections"]);
  });

  test("people are in source pixels, with timings", async () => {
    const result = await tiny().run(await picture("upright.png"));
    expect(result).toMatchObject({
      kind: "pose",
      width: 40,
      height: 24,
      backend,
      fallback: null,
      warnings: [],
    });
    expect(poses(result)).toHaveLength(2);
    expect(poses(result)[0]?.keypoints.map(({ name }) => name)).toEqual(["nose", "left hand"]);
    const { preprocess, inference, postprocess, total } = result.timings;
    expect(total).toBeCloseTo(preprocess + inference + postprocess, 6);
    expect(inference).toBeGreaterThan(0);
  });

  test("the thresholds are inputs of the graph", async () => {
    const image = await picture("upright.png");
    expect(poses(await tiny().run(image, { confidence: 0.75 }))).toHaveLength(1);
    const [low] = poses(await tiny().run(image, { iou: 0 }));
    const [high] = poses(await tiny().run(image, { iou: 1 }));
    expect((high?.box.x1 ?? 0) - (low?.box.x1 ?? 0)).toBeCloseTo(40 / 32, 4);
  });

  test("concurrent runs all resolve, each with its own options", async () => {
    const image = await picture("upright.png");
    const results = await Promise.all(
      [0.75, 0.5, 0.99].map((confidence) => tiny().run(image, { confidence })),
    );
    expect(results.map((result) => poses(result).length)).toEqual([1, 2, 0]);
  });

  test("a failed run does not affect the next one", async () => {
    const image = await picture("upright.png");
    const bad = tiny().run(new Blob(["no picture"]));
    const good = tiny().run(image);
    await expect(bad).rejects.toMatchObject({
      code: "unreadable-image",
      fix: expect.stringContaining("JPEG"),
    });
    expect(poses(await good)).toHaveLength(2);
  });

  test("a model of task detect gives objects of several classes", async () => {
    const model = await loadTiny({ backend }, "detect.json");
    const image = await picture("upright.png");
    const result = await model.run(image);
    if (result.kind !== "detect") throw new Error(`a ${result.kind} result`);
    expect(result).toMatchObject({ width: 40, height: 24, backend, fallback: null, warnings: [] });
    expect(result.detections.map(({ label, classIndex }) => [label, classIndex])).toEqual([
      ["cup", 0],
      ["plate", 1],
    ]);
    const people = poses(await tiny().run(image)).map(({ box, score }) => ({ box, score }));
    expect(result.detections).toMatchObject(people);
  });

  test("a model of task tensor gives its outputs", async () => {
    const model = await loadTiny({ backend }, "tensor.json");
    const result = await model.run(await picture("upright.png"));
    if (result.kind !== "tensor") throw new Error(`a ${result.kind} result`);
    expect(Object.keys(result.outputs)).toEqual(["detections"]);
    expect(result.outputs.detections).toMatchObject({ type: "float32", dims: [1, 4, 12] });
    expect(Math.max(...numbers(result.outputs.detections))).toBeGreaterThan(1);
  });
});

describe.runIf(hasWebgpu)("a detection head over its capacity", () => {
  test("is repeated on WASM, with one warning", async () => {
    const model = await loadTiny({ backend: "webgpu" });
    const image = await picture("upright.png");
    const first = await model.run(image, { confidence: 0 });
    expect(first).toMatchObject({
      backend: "wasm",
      fallback: { target: "wasm" },
      warnings: [{ code: "ran-fallback" }],
    });
    expect(first.fallback?.reason).toContain("16 candidates");
    const wasm = await loadTiny({ backend: "wasm" });
    const numbersOf = (result: Result): number[] =>
      poses(result).flatMap(({ box, score }) => [...Object.values(box), score]);
    expectClose(numbersOf(first), numbersOf(await wasm.run(image, { confidence: 0 })), 1e-4);
    await model.run(image, { confidence: 0 });
    expect(model.warnings).toHaveLength(1);
    expect(await model.run(image)).toMatchObject({ backend: "webgpu", fallback: null });
  });
});

describe("refused arguments", () => {
  const tiny = sharedTiny({ backend: "wasm" });
  const cases: [string, (model: Model) => Promise<unknown>, string][] = [
    ["a string for a picture", (model) => model.run("cat.jpg" as never), "invalid-image"],
    ["null for a picture", (model) => model.run(null as never), "invalid-image"],
    ["an image element with nothing in it", (model) => model.run(new Image()), "unreadable-image"],
    ["a canvas without a size", (model) => model.run(sizeless()), "unreadable-image"],
    [
      "NaN for a threshold",
      async (model) => model.run(await picture("upright.png"), { iou: Number.NaN }),
      "invalid-option",
    ],
    ["a missing input", (model) => model.runTensors({}), "missing-input"],
    ["an unknown input", (model) => model.runTensors({ image: ramp(), extra: ramp() }), "unknown-input"],
    [
      "a wrong shape",
      (model) => model.runTensors({ image: { ...ramp(), dims: [3, 32, 32] } }),
      "invalid-input",
    ],
    [
      "a wrong type",
      (model) => model.runTensors({ image: { ...ramp(), type: "uint8" } as TensorData }),
      "invalid-input",
    ],
  ];

  test.each(cases)("%s", async (_, act, code) => {
    await expect(act(tiny())).rejects.toMatchObject({
      name: "WebbuildError",
      code,
      fix: expect.stringMatching(/./),
    });
    const outputs = await tiny().runTensors({ image: ramp() });
    expectClose(numbers(outputs.detections), native.detections, 1e-4);
  });

  function sizeless(): HTMLCanvasElement {
    return Object.assign(document.createElement("canvas"), { width: 0, height: 0 });
  }
});

describe("feeds", () => {
  const tiny = sharedTiny({ backend: "wasm" });

  test("are not transferred from the caller", async () => {
    const feeds: Tensors = { image: ramp() };
    await tiny().runTensors(feeds);
    expect(feeds.image?.data.length).toBe(3 * 32 * 32);
  });

  test("may be overwritten after the call", async () => {
    const image = ramp();
    const answer = tiny().runTensors({ image });
    image.data.fill(0 as never);
    expectClose(numbers((await answer).detections), native.detections, 1e-4);
  });

  test("made by preprocess() equal those of run()", async () => {
    const image = await picture("upright.png");
    const fed = await tiny().preprocess(image);
    const { detections } = await tiny().runTensors({ image: fed });
    expect(numbers(detections)[4]).toBe(poses(await tiny().run(image))[0]?.score);
  });
});

describe("aborting a run", () => {
  test("rejects at once and does not affect the next one", async () => {
    const model = await loadTiny({ backend: "wasm" });
    const image = await picture("upright.png");
    const controller = new AbortController();
    const first = model.run(image);
    const second = model.run(image, { signal: controller.signal });
    controller.abort();
    await expect(second).rejects.toMatchObject({ code: "aborted" });
    expect(poses(await first)).toHaveLength(2);
    expect(poses(await model.run(image))).toHaveLength(2);
  });
});

describe("preprocess()", () => {
  test("can be aborted by its signal, and takes no other options", async () => {
    const model = await loadTiny({ backend: "wasm" });
    const image = await picture("upright.png");
    const controller = new AbortController();
    const stopped = model.preprocess(image, { signal: controller.signal });
    controller.abort();
    await expect(stopped).rejects.toMatchObject({ code: "aborted" });
    const { signal } = new AbortController();
    expect((await model.preprocess(image, { signal })).dims).toEqual([1, 3, 32, 32]);
    const odd = { confidence: 0.5 } as never;
    await expect(model.preprocess(image, odd)).rejects.toMatchObject({ code: "invalid-option" });
  });
});

function numbers(tensor: TensorData | undefined): number[] {
  return Array.from(tensor?.data ?? [], Number);
}
