import { describe, expect, test } from "vitest";
import type { ImageSource, Model, RunOptions, TensorResult } from "../../src/index.js";
import { backends, keepEngine, loadTiny } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";

for (const backend of backends) keepEngine(backend);

/** Pictures of several sizes and colours, no two alike. */
function drawn(count: number, wide = (_: number): boolean => false): OffscreenCanvas[] {
  return Array.from({ length: count }, (_, at) => {
    const canvas = wide(at) ? new OffscreenCanvas(48 + at, 32 + at) : new OffscreenCanvas(20 + at, 24 + at);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("no canvas");
    context.fillStyle = `hsl(${(at * 67) % 360} 80% 50%)`;
    context.fillRect(at, 2, 9, 12);
    return canvas;
  });
}

async function runAll(
  model: Model,
  sources: ImageSource[],
  options: RunOptions = {},
): Promise<TensorResult[]> {
  const results: unknown = await model.run(sources, options);
  return results as TensorResult[];
}

function numbers({ outputs }: TensorResult): number[] {
  return [...(outputs.y?.data ?? [])].map(Number);
}

/** Runs `work`, and returns the number of images in each message to the worker. */
async function sentBy(work: () => Promise<unknown>): Promise<number[]> {
  const sent: number[] = [];
  const original = MessagePort.prototype.postMessage;
  MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: never[]) {
    const { path, argumentList } = Object(message);
    if (String(path) === "run") sent.push(argumentList[1].value.length);
    return original.call(this, message, ...rest);
  };
  try {
    await work();
  } finally {
    MessagePort.prototype.postMessage = original;
  }
  return sent;
}

describe.each(backends)("%s", (backend) => {
  test("each image of a batch gets the result of its own run", async () => {
    const model = await loadTiny({ backend }, "batches.json");
    expect(model.batches).toEqual([1, 4]);
    const sources = drawn(6);
    const together = await runAll(model, sources, { size: 16 });
    expect(together).toHaveLength(6);
    for (const [at, source] of sources.entries()) {
      const alone = (await model.run(source, { size: 16 })) as TensorResult;
      const one = together[at];
      expect(one).toMatchObject({ width: source.width, height: source.height, backend });
      expect(one?.outputs.y?.dims).toEqual([1, 8, 14, 14]);
      expectClose(one ? numbers(one) : [], numbers(alone), 1e-3);
    }
    expect(new Set(together.map((each) => numbers(each).join())).size).toBe(6);
  });
});

test("canvases that are drawn again after the call are run as they were", async () => {
  const model = await loadTiny({ backend: "wasm", processing: "cpu" }, "batches.json");
  const wanted = (await runAll(model, drawn(3), { size: 16 })).map(numbers);
  const sources = drawn(3);
  const running = runAll(model, sources, { size: 16 });
  for (const source of sources) source.getContext("2d")?.fillRect(0, 0, 20, 24);
  expect((await running).map(numbers)).toEqual(wanted);
});

describe("the largest batch that can be filled is used", () => {
  test.each([
    [1, [1]],
    [3, [1, 1, 1]],
    [4, [4]],
    [9, [4, 4, 1]],
  ])("%i images are run in batches of %j", async (count, wanted) => {
    const model = await loadTiny({ backend: "wasm" }, "batches.json");
    const sent = await sentBy(() => runAll(model, drawn(count), { size: 16 }));
    expect(sent).toEqual(wanted);
  });
});

test("images that fit another size run at that size, and results stay in order", async () => {
  const model = await loadTiny({ backend: "wasm" }, "batches.json");
  const sources = drawn(5, (at) => at === 1);
  const results = await runAll(model, sources);
  expect(results.map(({ size }) => size[0])).toEqual([16, 24, 16, 16, 16]);
  expect(results.map(({ width }) => width)).toEqual(sources.map(({ width }) => width));
});

test("one image gives one result, and an unreadable image fails only its own call", async () => {
  const model = await loadTiny({ backend: "wasm" }, "batches.json");
  const [first] = drawn(1);
  if (first === undefined) throw new Error("nothing drawn");
  expect(await model.run(first)).toMatchObject({ kind: "tensor" });
  const bad = runAll(model, [...drawn(3), new Blob(["no picture"]) as never], { size: 16 });
  await expect(bad).rejects.toMatchObject({ code: "unreadable-image" });
  await expect(model.run([])).rejects.toMatchObject({ code: "invalid-image" });
  expect(await runAll(model, drawn(4), { size: 16 })).toHaveLength(4);
});

test("tensors of four images are run together", async () => {
  const model = await loadTiny({ backend: "wasm" }, "batches.json");
  const image = {
    type: "float32",
    dims: [4, 3, 16, 16],
    data: new Float32Array(4 * 3 * 256).fill(0.5),
  } as const;
  expect((await model.runTensors({ image: { ...image, dims: [...image.dims] } })).y?.dims).toEqual([
    4, 8, 14, 14,
  ]);
});

test("a model without batch variants refuses an array", async () => {
  const model = await loadTiny({ backend: "wasm" }, "sizes.json");
  await expect(model.run(drawn(2))).rejects.toMatchObject({ code: "invalid-image" });
});
