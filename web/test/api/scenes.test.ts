import { describe, expect, test } from "vitest";
import type { Backend, LoadOptions, Scene, TensorResult } from "../../src/index.js";
import { backends, hasWebgpu, keepEngine, loadTiny, picture } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";
import { frame, sums } from "../support/frames.js";
import { film } from "../support/playing-video.js";
import { countLooks, expectAnswer, expectAnswers, expectThree, pointFeeds } from "../support/scenes.js";

for (const backend of backends) keepEngine(backend);

const apart: LoadOptions["backend"][] = [
  { encoder: "webgpu", decoder: "wasm" },
  { encoder: "wasm", decoder: "webgpu" },
];

describe.each([...backends, ...(hasWebgpu ? apart : [])])("a model of two stages on %o", (backend) => {
  test("look() encodes an image once, for any number of prompts", async () => {
    const model = await loadTiny({ backend }, "stages.json");
    const scene = await model.look(frame(0));
    await expectAnswers(scene, 0);
    expect([scene.width, scene.height, scene.result]).toEqual([16, 16, null]);
    const wanted = typeof backend === "object" ? Object.values(backend) : [backend, backend];
    expect(model.info().stages?.map((stage) => [stage.name, stage.backend])).toEqual([
      ["encoder", wanted[0]],
      ["decoder", wanted[1]],
    ]);
  });
});

describe.each(backends)("scenes on %s", (backend) => {
  const opened = async (): Promise<Awaited<ReturnType<typeof loadTiny>>> =>
    loadTiny({ backend }, "stages.json");

  test("are independent of each other, and each resolves its runs in order", async () => {
    const model = await opened();
    const looks = [0, 1, 2].map((step) => model.look(frame(step)));
    const order: string[] = [];
    await Promise.all(
      looks.map(async (look, step) => {
        const scene = await look;
        const asked = [0, 1, 2].map(async (point) => {
          expectAnswer(await scene.runTensors(pointFeeds(point)), step, point);
          order.push(`${step}.${point}`);
        });
        await Promise.all(asked);
      }),
    );
    for (const step of [0, 1, 2])
      expect(order.filter((each) => each.startsWith(`${step}.`))).toEqual(
        [0, 1, 2].map((at) => `${step}.${at}`),
      );
  });

  test("use the image as it was when look() was called", async () => {
    const model = await opened();
    const canvas = new OffscreenCanvas(16, 16);
    const context = canvas.getContext("2d");
    context?.putImageData(frame(1), 0, 0);
    const pixels = frame(0);
    const looks = [model.look(pixels), model.look(canvas)];
    pixels.data.fill(7);
    context?.clearRect(0, 0, 16, 16);
    const [first, second] = await Promise.all(looks);
    await expectAnswers(first as Scene, 0, [0]);
    await expectAnswers(second as Scene, 1, [0]);
  });

  test("end if look() is aborted, while others go on", async () => {
    const model = await opened();
    const scene = await model.look(frame(0));
    const aborting = new AbortController();
    const dropped = model.look(frame(1), { signal: aborting.signal });
    const asked = scene.runTensors(pointFeeds(0), { signal: aborting.signal });
    const goes = scene.runTensors(pointFeeds(1));
    aborting.abort();
    await expect(dropped).rejects.toMatchObject({ code: "aborted" });
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
    expectAnswer(await goes, 0, 1);
    await expectAnswers(await model.look(frame(1)), 1, [2]);
    const late = { signal: AbortSignal.abort() };
    await expect(model.look(frame(1), late)).rejects.toMatchObject({ code: "aborted" });
    await expect(scene.runTensors(pointFeeds(0), late)).rejects.toMatchObject({ code: "aborted" });
  });

  test("end after release(), but runs begun before complete", async () => {
    const model = await opened();
    const encoded = countLooks();
    const scene = await model.look(await createImageBitmap(frame(2)));
    const before = scene.runTensors(pointFeeds(0));
    const released = [scene.release(), scene.release()];
    expectAnswer(await before, 2, 0);
    await Promise.all(released);
    expect(encoded()).toBe(1);
    const over = { code: "disposed", fix: expect.stringContaining("look()") };
    await expect(scene.runTensors(pointFeeds(0))).rejects.toMatchObject(over);
    await expect(scene.run()).rejects.toMatchObject(over);
  });

  test("end with their model, whatever is in progress", async () => {
    const model = await opened();
    const scene = await model.look(frame(0));
    const pending = [model.look(frame(1)), scene.runTensors(pointFeeds(0)), scene.runTensors(pointFeeds(1))];
    const rejected = pending.map((each) => expect(each).rejects.toMatchObject({ code: "disposed" }));
    await model.dispose();
    await Promise.all(rejected);
    await expect(scene.runTensors(pointFeeds(0))).rejects.toMatchObject({ code: "disposed" });
    await expect(model.look(frame(0))).rejects.toMatchObject({ code: "disposed" });
    await scene.release();
  });
});

describe.each(backends)("a first stage with a result of its own, on %s", (backend) => {
  const twice = async (found: TensorResult, scene: Scene): Promise<void> => {
    const { result } = scene;
    if (result?.kind !== "detect") throw new Error(`a ${result?.kind} of a detector`);
    expect(result.detections.length).toBeGreaterThan(0);
    expect(found.outputs.y?.dims).toEqual([1, 4, 6]);
    expect(found.outputs.y?.data[4]).toBeCloseTo(2 * (result.detections[0]?.score ?? 0), 4);
  };

  test("its result is kept in the scene; run() executes all stages", async () => {
    const model = await loadTiny({ backend }, "found.json");
    const image = await picture("upright.png");
    const scene = await model.look(image, { confidence: 0.1 });
    const asked = (await scene.run()) as TensorResult;
    await twice(asked, scene);
    const whole = (await model.run(image, { confidence: 0.1 })) as TensorResult;
    expect(whole.outputs).toEqual(asked.outputs);
    expect(whole).toMatchObject({ kind: "tensor", width: 40, height: 24, backend, warnings: [] });
    expect(whole.timings.total).toBeGreaterThan(whole.timings.inference);
    expect(model.info().preprocess.path).toBe(backend === "webgpu" ? "gpu" : "cpu");
  });

  test("its result is part of each frame's result in a stream", async () => {
    const model = await loadTiny({ backend }, "found.json");
    const { video, end } = await film();
    const kinds: string[] = [];
    const stream = model.stream(video, ({ kind }) => {
      kinds.push(kind);
      if (kinds.length === 3) stream.stop();
    });
    await stream.finished;
    end();
    expect(kinds).toEqual(["tensor", "tensor", "tensor"]);
  });
});

test("glue gets the results of the stages before the last", async () => {
  const model = await loadTiny({ backend: "wasm" }, "found.json");
  const scene = await model.look(await picture("upright.png"));
  const { found, ...others } = await scene.results();
  expect(found).toMatchObject({ kind: "detect", detections: Object(scene.result).detections });
  expect(others).toEqual({});
  expect((await scene.run()).kind).toBe("tensor");
});

describe("a call that does not fit the stages is refused:", () => {
  const wasm = { backend: "wasm" as Backend };
  test("look() for a model of one stage", async () => {
    const model = await loadTiny(wasm, "conv.json");
    await expect(model.look(frame(0))).rejects.toMatchObject({ code: "one-stage" });
  });

  test("options of another stage, and stages that do not exist", async () => {
    const model = await loadTiny(wasm, "found.json");
    const scene = await model.look(await picture("upright.png"));
    await expect(scene.run({ confidence: 0.5 })).rejects.toMatchObject({ code: "invalid-option" });
    await expect(
      scene.runTensors({ x: { type: "float32", dims: [1], data: new Float32Array(1) } }),
    ).rejects.toMatchObject({
      code: "unknown-input",
    });
    await expect(model.look(frame(0), { prompt: "a cup" })).rejects.toMatchObject({ code: "invalid-option" });
    await expect(model.runTensors({}, { stage: "third" })).rejects.toMatchObject({
      code: "invalid-option",
      fix: expect.stringContaining("found, scaled"),
    });
    await expect(loadTiny({ backend: { third: "wasm" } }, "found.json")).rejects.toMatchObject({
      code: "invalid-option",
      message: expect.stringContaining('no stage "third"'),
    });
  });

  test("tiles for a stage that makes images", async () => {
    const model = await loadTiny(wasm, "pictured.json");
    const scene = await model.look(frame(0));
    for (const options of [{ tiles: false as const }, { onTile: () => {} }]) {
      const refused = { code: "invalid-option", message: expect.stringMatching(/^(tiles|onTile): /) };
      await expect(scene.run(options)).rejects.toMatchObject(refused);
      await expect(model.run(frame(0), options)).rejects.toMatchObject(refused);
    }
  });

  test("run() without a tensor that only the caller has", async () => {
    const model = await loadTiny(wasm, "stages.json");
    await expect(model.run(frame(0))).rejects.toMatchObject({
      code: "missing-input",
      message: expect.stringContaining("point"),
    });
  });

  test("stages that do not fit together, naming the two tensors", async () => {
    const model = await loadTiny(wasm, "unfit-stages.json");
    const scene = await model.look(frame(0));
    await expect(scene.runTensors(pointFeeds(0))).rejects.toMatchObject({
      code: "invalid-manifest",
      message: expect.stringMatching(/encoder\.detail as float32 \[1, 4, 8, 8\].*float32 \[1, 4, 16, 16\]/),
    });
  });
});

describe("a model of three stages", () => {
  const apart = ["encoder", "neck", "decoder"].map((name) => ({
    ...{ encoder: "webgpu", neck: "webgpu", decoder: "webgpu" },
    [name]: "wasm",
  })) as Record<string, Backend>[];

  test.each([...backends, ...(hasWebgpu ? apart : [])])(
    "gives the last stage's result, on %o",
    async (backend) => {
      const model = await loadTiny({ backend }, "three-stages.json");
      await expectThree(await model.look(frame(0)), 0);
      await expectThree(await model.look(frame(1)), 1, [0]);
    },
  );
});

describe.each(backends)("glue between two stages, on %s", (backend) => {
  test("computes the decoder's input, which a caller may give instead", async () => {
    const model = await loadTiny({ backend }, "glued.json");
    const scene = await model.look(frame(0));
    const { outputs } = (await scene.run()) as TensorResult;
    expectAnswer(outputs, 0, 0);
    expectAnswer(await scene.runTensors(), 0, 0);
    expectAnswer(await scene.runTensors(pointFeeds(2)), 0, 2);
    expectAnswer(((await model.run(frame(1))) as TensorResult).outputs, 1, 0);
  });

  test.each([
    ["throwing-glue.json", "glue/throws.js: no idea"],
    [
      "unfit-glue.json",
      "glue/unfit.js: point: wanted float32 [1, 2], 2 elements in a Float32Array, got float32 [3]",
    ],
  ])("names the stage that fails: %s", async (manifest, message) => {
    const model = await loadTiny({ backend }, manifest);
    const scene = await model.look(frame(0));
    await expect(scene.run()).rejects.toMatchObject({ code: "glue-failed", message });
    expectAnswer(await scene.runTensors(pointFeeds(1)), 0, 1);
    expect(model.info().stages?.map((stage) => stage.backend)).toEqual([backend, backend]);
  });

  test("fails the load if it exports no function", async () => {
    await expect(loadTiny({ backend }, "no-glue.json")).rejects.toMatchObject({
      code: "glue-failed",
      message: expect.stringContaining("number, not a function"),
    });
  });
});

test("a stage runs alone if all its tensors are given", async () => {
  const model = await loadTiny({ backend: "wasm" }, "stages.json");
  const image = { type: "float32" as const, dims: [1, 3, 16, 16], data: new Float32Array(768).fill(0.5) };
  const { embedding, detail } = await model.runTensors({ image });
  if (embedding === undefined || detail === undefined) throw new Error("an encoder without outputs");
  const { y } = await model.runTensors({ embedding, detail, ...pointFeeds(0) }, { stage: "decoder" });
  expect(y?.dims).toEqual([1, 1, 14, 14]);
  await expect(model.runTensors(pointFeeds(0), { stage: "decoder" })).rejects.toMatchObject({
    code: "missing-input",
  });
});

test("running a later stage alone does not change the first stage's state", async () => {
  const model = await loadTiny({ backend: "wasm" }, "average-stages.json");
  const steps = sums();
  const boxes = { type: "float32" as const, dims: [1, 4, 6], data: new Float32Array(24) };
  for (let turn = 0; turn < 3; turn++) {
    const { feeds, y } = steps.next().value;
    const outputs = await model.runTensors(feeds);
    expectClose(Array.from(outputs.y?.data ?? [], Number), y, 1e-4);
    await model.runTensors({ boxes }, { stage: "scaled" });
  }
  const state = model.newState();
  await expect(model.runTensors({ boxes }, { stage: "scaled", state })).rejects.toMatchObject({
    code: "invalid-option",
    message: expect.stringContaining("scaled"),
  });
});

test.runIf(hasWebgpu)(
  "a stage without a WebGPU graph runs on WASM while another runs on the GPU",
  async () => {
    const model = await loadTiny({}, "stages-no-webgpu.json");
    await expectAnswers(await model.look(frame(0)), 0);
    expect(model.info().stages?.map(({ backend }) => backend)).toEqual(["webgpu", "wasm"]);
    expect(model.warnings).toMatchObject([
      { code: "no-graph", message: expect.stringMatching(/^decoder: /) },
    ]);
  },
);
