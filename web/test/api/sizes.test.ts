import { describe, expect, test } from "vitest";
import type { Model, TensorResult } from "../../src/index.js";
import { fittingSize } from "../../src/preprocess/fitting-size.js";
import { backends, bundle, hasWebgpu, keepEngine, loadTiny, picture, runtime } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";

for (const backend of backends) keepEngine(backend);

const SQUARE = [16, 16] as const;
const WIDE = [24, 16] as const;

function canvas(width: number, height: number): OffscreenCanvas {
  const drawn = new OffscreenCanvas(width, height);
  const context = drawn.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.fillStyle = "teal";
  context.fillRect(0, 0, width, height);
  context.fillStyle = "orange";
  context.fillRect(width / 4, height / 4, width / 2, height / 3);
  return drawn;
}

async function outputOf(run: ReturnType<Model["run"]>): Promise<TensorResult["outputs"][string]> {
  const result = await run;
  if (result.kind !== "tensor") throw new Error(`a ${result.kind} result`);
  const [output] = Object.values(result.outputs);
  if (output === undefined) throw new Error("no output");
  return output;
}

const SQUARE_OUTPUT = [1, 8, 14, 14];
const WIDE_OUTPUT = [1, 8, 14, 22];

describe("the best size for an image", () => {
  const sizes = [320, 480, 640].map((side) => [side, side] as const);
  test.each([
    [4000, 3000, 640],
    [500, 500, 480],
    [200, 300, 320],
    [1000, 40, 320],
  ])("%i x %i is run at %i", (width, height, side) => {
    expect(fittingSize(sizes, width, height)).toEqual([side, side]);
  });
  test("has the most similar aspect ratio", () => {
    const both = [[640, 480] as const, [480, 640] as const];
    expect(fittingSize(both, 3000, 4000)).toEqual([480, 640]);
    expect(fittingSize(both, 4000, 3000)).toEqual([640, 480]);
  });
});

describe.each(backends)("%s", (backend) => {
  test("an image runs at the size that fits it, or at the requested size", async () => {
    const model = await loadTiny({ backend }, "sizes.json");
    expect(model.sizes).toEqual([SQUARE, WIDE]);
    expect((await outputOf(model.run(canvas(48, 32)))).dims).toEqual(WIDE_OUTPUT);
    expect((await outputOf(model.run(canvas(40, 40)))).dims).toEqual(SQUARE_OUTPUT);
    expect((await outputOf(model.run(canvas(40, 40), { size: WIDE }))).dims).toEqual(WIDE_OUTPUT);
    expect((await outputOf(model.run(canvas(48, 32), { size: 16 }))).dims).toEqual(SQUARE_OUTPUT);
  });

  test("the result equals that of a bundle for that size", async () => {
    const several = await loadTiny({ backend }, "sizes.json");
    const file = await picture("upright.png");
    for (const [manifest, size] of [["conv.json", 16] as const, ["wide.json", WIDE] as const]) {
      const alone = await outputOf((await loadTiny({ backend }, manifest)).run(file));
      const among = await outputOf(several.run(file, { size }));
      expect(among.dims).toEqual(alone.dims);
      expectClose([...among.data].map(Number), [...alone.data].map(Number), 1e-6);
    }
    const chosen = await outputOf(several.run(file));
    expect(chosen.dims).toEqual(WIDE_OUTPUT);
  });

  test("tensors run at their own size, which preprocess() gives for an image", async () => {
    const model = await loadTiny({ backend }, "sizes.json");
    const wide = await model.preprocess(canvas(48, 32));
    expect(wide.dims).toEqual([1, 3, 16, 24]);
    expect((await model.runTensors({ image: wide })).y?.dims).toEqual(WIDE_OUTPUT);
    const square = await model.preprocess(canvas(48, 32), { size: 16 });
    expect((await model.runTensors({ image: square })).y?.dims).toEqual(SQUARE_OUTPUT);
    await expect(model.runTensors({ image: { ...square, dims: [3, 16, 16] } })).rejects.toMatchObject({
      code: "invalid-input",
    });
  });

  test("concurrent runs resolve in order", async () => {
    const model = await loadTiny({ backend }, "sizes.json");
    const ended: number[] = [];
    const sizes = [WIDE, SQUARE, WIDE, SQUARE];
    const runs = sizes.map((size, at) =>
      outputOf(model.run(canvas(40, 40), { size }).finally(() => ended.push(at))),
    );
    expect((await Promise.all(runs)).map(({ dims }) => dims[3])).toEqual([22, 14, 22, 14]);
    expect(ended).toEqual([0, 1, 2, 3]);
  });

  test("a model loaded for one size has no other", async () => {
    const model = await loadTiny({ backend, size: WIDE }, "sizes.json");
    expect(model.sizes).toEqual([WIDE]);
    expect((await outputOf(model.run(canvas(40, 40)))).dims).toEqual(WIDE_OUTPUT);
    await expect(model.run(canvas(40, 40), { size: 16 })).rejects.toMatchObject({ code: "invalid-option" });
  });
});

test("other sizes are loaded by the first run that needs them", async () => {
  const asked = (): string[] =>
    performance
      .getEntriesByType("resource")
      .flatMap(({ name }) => (name.includes("wide.onnx") ? [name] : []));
  const model = await loadTiny({ backend: "wasm" }, "lost-size.json");
  expect((await outputOf(model.run(canvas(40, 40)))).dims).toEqual(SQUARE_OUTPUT);
  for (const _ of [1, 2])
    await expect(model.run(canvas(48, 32))).rejects.toMatchObject({ code: "download-failed" });
  expect((await outputOf(model.run(canvas(40, 40)))).dims).toEqual(SQUARE_OUTPUT);
  expect(asked()).toEqual([]);
});

test.each([15, [16], [16, 24], "16", null, [16, 16, 16]])("size %j is refused", async (size) => {
  const model = await loadTiny({ backend: "wasm" }, "sizes.json");
  await expect(model.run(canvas(9, 9), { size } as never)).rejects.toMatchObject({
    code: "invalid-option",
    fix: "give [16, 16] or [24, 16], or leave size out for the best",
  });
  await expect(runtime.load(bundle("sizes.json"), { size } as never)).rejects.toMatchObject({
    code: "invalid-option",
  });
});

test("a model of one size accepts that size", async () => {
  const model = await loadTiny({ backend: "wasm" }, "conv.json");
  expect((await outputOf(model.run(canvas(40, 20), { size: 16 }))).dims).toEqual(SQUARE_OUTPUT);
  await expect(model.run(canvas(40, 20), { size: 32 })).rejects.toMatchObject({ code: "invalid-option" });
});

test("a run that is aborted while its size loads rejects, and the model goes on", async () => {
  const model = await loadTiny({ backend: "wasm" }, "sizes.json");
  const stop = new AbortController();
  const stopped = model.run(canvas(48, 32), { signal: stop.signal });
  stop.abort();
  await expect(stopped).rejects.toMatchObject({ code: "aborted" });
  expect((await outputOf(model.run(canvas(48, 32)))).dims).toEqual(WIDE_OUTPUT);
});

test("a run that loads a size of a disposed model rejects", async () => {
  const model = await loadTiny({ backend: "wasm" }, "sizes.json");
  const run = model.run(canvas(48, 32));
  await new Promise((resolve) => setTimeout(resolve)); // with a longer delay a busy machine would have loaded it
  await Promise.all([expect(run).rejects.toMatchObject({ code: "disposed" }), model.dispose()]);
  await expect(model.run(canvas(48, 32))).rejects.toMatchObject({ code: "disposed" });
});

test.runIf(hasWebgpu)("a GPU that failed the self-test gets no other size either", async () => {
  const model = await loadTiny({ backend: "auto" }, "wrong-sizes.json");
  expect(model.backend).toBe("wasm");
  expect(await model.run(canvas(48, 32))).toMatchObject({ backend: "wasm" });
});
