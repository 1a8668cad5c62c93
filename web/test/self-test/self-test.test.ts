import { beforeEach, describe, expect, test } from "vitest";
import type { TensorData, Tensors } from "../../src/index.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { goldenDifference, hasSignal } from "../../src/self-test/golden-compare.js";
import { runSequence } from "../../src/self-test/golden-sequence.js";
import type { GpuSetup } from "../../src/session/gpu-setup.js";
import type { AnyTensors } from "../../src/tensors/gpu-tensor.js";
import { backends, bundle, hasWebgpu, keepEngine, loadTiny, picture } from "../support/bundle.js";
import { casesOf } from "../support/conformance.js";

const webgpu = { backend: "webgpu" } as const;
const failed = { code: "self-test-failed", message: expect.stringContaining("y: differs by") };

beforeEach(() => caches.delete("webbuild-findings"));

describe.runIf(hasWebgpu)("on a GPU without an earlier self-test", () => {
  for (const backend of backends) keepEngine(backend);

  test("the golden run runs once", async () => {
    expect((await loadTiny({}, "golden.json")).info().selfTest).toEqual({
      sample: "noise",
      fromCache: false,
    });
    expect((await loadTiny(webgpu, "golden.json")).info().selfTest).toEqual({
      sample: "noise",
      fromCache: true,
    });
  });

  test("an image of the golden run may be stored as levels", async () => {
    const { selfTest } = (await loadTiny(webgpu, "golden-uint8.json")).info();
    expect(selfTest).toEqual({ sample: "noise", fromCache: false });
  });

  test.each(["wrong-golden.json", "wrong-graph.json"])(
    "%s: auto falls back, with a reason",
    async (manifest) => {
      for (const visit of ["first", "second"]) {
        const model = await loadTiny({}, manifest);
        expect(model.backend, visit).toBe("wasm");
        expect(model.warnings, visit).toMatchObject([failed]);
        expect(model.info().selfTest).toBeNull();
      }
    },
  );

  test.each(["wrong-golden.json", "wrong-graph.json"])(
    "%s: webgpu fails, also the second time",
    async (manifest) => {
      await expect(loadTiny(webgpu, manifest)).rejects.toMatchObject(failed);
      await expect(loadTiny(webgpu, manifest)).rejects.toMatchObject(failed);
    },
  );

  test("a model with state runs a sequence", async () => {
    const { selfTest } = (await loadTiny(webgpu, "recurrent-golden.json")).info();
    expect(selfTest).toEqual({ sample: "frame", fromCache: false });
  });

  test("a wrong state after three runs is detected", async () => {
    const message = expect.stringContaining("in run 3 of a sequence, y: differs by");
    await expect(loadTiny(webgpu, "forgetful-golden.json")).rejects.toMatchObject({
      code: "self-test-failed",
      message,
    });
  });

  test("the self-test can be turned off", async () => {
    const model = await loadTiny({ ...webgpu, selfTest: false }, "wrong-golden.json");
    expect(model.info().selfTest).toBeNull();
  });

  test("a failure on an earlier visit is reported with its date, and tested again for an explicit backend", async () => {
    await loadTiny({}, "wrong-golden.json");
    const cache = await caches.open("webbuild-findings");
    const [kept] = await cache.keys();
    if (kept === undefined) throw new Error("no verdict was kept");
    const at = Date.now() - 86_400_000;
    await cache.put(kept, Response.json({ reason: "of yesterday", at }));
    const [yesterday, again] = [at, at + 7 * 86_400_000].map((time) =>
      new Date(time).toISOString().slice(0, 10),
    );
    expect((await loadTiny({}, "wrong-golden.json")).warnings).toMatchObject([
      {
        code: "self-test-failed",
        message: expect.stringContaining(
          `of yesterday (found on ${yesterday}; the next test is on ${again})`,
        ),
        fix: expect.stringContaining('load with { backend: "webgpu" }'),
      },
    ]);
    const message = expect.stringMatching(/y: differs by(?!.*found on)/);
    await expect(loadTiny(webgpu, "wrong-golden.json")).rejects.toMatchObject({ message });
    await cache.put(kept, Response.json({ reason: null, at: Date.now() }));
    await expect(loadTiny(webgpu, "wrong-golden.json")).resolves.toBeDefined();
  });

  test("an old failure is tried again, as is one dated in the future", async () => {
    await loadTiny({}, "wrong-golden.json");
    const cache = await caches.open("webbuild-findings");
    const [kept, ...others] = await cache.keys();
    if (kept === undefined) throw new Error("no verdict was kept");
    expect(others).toEqual([]);
    expect(kept.url).toContain(bundle("finding/").href);
    await cache.put(kept, Response.json({ reason: "of last year", at: Date.now() - 8 * 86_400_000 }));
    expect((await loadTiny({}, "wrong-golden.json")).warnings).toMatchObject([failed]);
    await cache.put(kept, Response.json({ reason: "of tomorrow", at: Date.now() + 86_400_000 }));
    expect((await loadTiny({}, "wrong-golden.json")).warnings).toMatchObject([failed]);
  });
});

test.runIf(hasWebgpu)(
  "the second visit prepares the pipelines of the first, whatever happened to the first's",
  async () => {
    const options = { ...webgpu, cache: true };
    const answer = async (): Promise<unknown> =>
      (await (await loadTiny(options, "golden.json")).run(await picture("upright.png"))).kind;
    const first = await answer();
    const cache = await caches.open("webbuild-findings");
    const kept = async (): Promise<Request | undefined> =>
      (await cache.keys()).find(({ url }) => url.includes("-gpu-work-"));
    await expect.poll(kept).toBeDefined();
    const key = (await kept()) as Request;
    const { device, pipelines }: GpuSetup = await ((await cache.match(key)) as Response).json();
    expect(device?.requiredLimits).toBeDefined();
    expect(pipelines.length).toBeGreaterThan(0);
    expect(await answer()).toEqual(first);
    const refused = pipelines.map((source) => ({ ...source, code: "no shader" }));
    await cache.put(key, Response.json({ device: { requiredFeatures: ["none"] }, pipelines: refused }));
    expect(await answer()).toEqual(first);
  },
);

describe("a sequence", () => {
  const inputs: Manifest["inputs"] = ["a", "b"].map((name) => ({
    kind: "state",
    name,
    dtype: "float32",
    shape: [1],
    output: `${name}N`,
  }));
  const one = (value: number): TensorData => ({
    type: "float32",
    dims: [1],
    data: Float32Array.of(value),
  });
  const numberIn = (tensor: AnyTensors[string] | undefined): number =>
    tensor !== undefined && "data" in tensor ? Number(tensor.data[0]) : Number.NaN;
  const copy = async (states: AnyTensors): Promise<Tensors> => states as Tensors;
  const feeds = { x: one(1) };

  test("passes each state to the next run, and returns the states after the last", async () => {
    const seen: number[][] = [];
    const run = async (given: AnyTensors) => {
      const [x, a, b] = [given.x, given.a, given.b].map(numberIn) as [number, number, number];
      seen.push([a, b]);
      return { outputs: { y: one(a + b) }, states: { a: one(a + x), b: one(b + 10 * x) } };
    };
    const last = await runSequence(inputs, feeds, 3, { run, copy });
    expect(seen).toEqual([
      [0, 0],
      [1, 10],
      [2, 20],
    ]);
    expect(Object.entries(last).map(([name, tensor]) => [name, numberIn(tensor)])).toEqual([
      ["aN", 3],
      ["bN", 30],
      ["y", 22],
    ]);
  });

  test("frees every state, also when a run fails", async () => {
    let held = 0;
    const onGpu = (): AnyTensors[string] => {
      held++;
      const read = async (): Promise<TensorData> => one(0);
      return { type: "float32", dims: [1], buffer: {} as GPUBuffer, read, copy: read, release: () => held-- };
    };
    const run = async () => ({ outputs: {}, states: { a: onGpu(), b: onGpu() } });
    await runSequence(inputs, feeds, 3, { run, copy: async () => ({}) });
    expect(held).toBe(0);
    let runs = 0;
    const failing = async () => {
      if (++runs === 3) throw new Error("lost");
      return run();
    };
    await expect(runSequence(inputs, feeds, 3, { run: failing, copy })).rejects.toThrow("lost");
    expect(held).toBe(0);
  });
});

describe("agreement", () => {
  const plain: Manifest["task"] = { kind: "tensor", joined: [] };
  const found: Manifest["task"] = { kind: "detect", output: "rows", rows: 3, classes: ["cup"] };
  const floats = (...values: number[]): Tensors => ({
    rows: { type: "float32", dims: [1, values.length], data: Float32Array.from(values) },
  });
  const rows = (...each: number[][]): Tensors => ({
    rows: { type: "float32", dims: [1, each.length, 6], data: Float32Array.from(each.flat()) },
  });
  const [first, second] = [
    [10, 10, 50, 50, 0.9, 0],
    [60, 10, 90, 90, 0.8, 0],
  ];
  const padding = [0, 0, 0, 0, 0, 0];

  test("allows for rounding", () => {
    expect(goldenDifference(plain, floats(1, 2, 3), floats(1.001, 2, 3))).toBeNull();
    expect(goldenDifference(plain, floats(1, 2, 3), floats(1.5, 2, 3))).toContain("13 %");
  });

  test("allows what the golden run says", () => {
    const reason = (tolerance?: number) =>
      goldenDifference(plain, floats(1, 2, 3), floats(1.2, 2, 3), "fp32", undefined, tolerance);
    expect(reason(0.06)).toBeNull();
    expect(reason(0.05)).toBe("rows: differs by 5.3 % of its magnitude, 5.0 % are allowed");
    expect(reason()).toBe("rows: differs by 5.3 % of its magnitude, 2.0 % are allowed");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])("fails with %s", (value) => {
    expect(goldenDifference(plain, floats(1, 2, 3), floats(value, 2, 3))).not.toBeNull();
  });

  test("fails for an empty or a differently shaped output", () => {
    expect(goldenDifference(plain, floats(1, 2), {})).toBe("rows is missing");
    expect(goldenDifference(plain, floats(1, 2), floats(1, 2, 3))).toContain("[1, 3]");
    expect(goldenDifference(plain, floats(0, 0), floats(0, 1))).not.toBeNull();
  });

  test("of detections ignores their order, and finds a match for each", () => {
    expect(goldenDifference(found, rows(first, second, padding), rows(second, first, padding))).toBeNull();
    expect(goldenDifference(found, rows(first, second), rows(first, padding))).toContain("1 are missing");
    expect(goldenDifference(found, rows(first), rows([...first.slice(0, 5), 1]))).toContain("1 are missing");
    expect(goldenDifference(found, rows(first, padding), rows(first, second))).toContain(
      "1 of 2 are unexpected",
    );
  });

  test("of integers counts the different ones", () => {
    const labels = (value: number): Tensors => ({
      map: {
        type: "int32",
        dims: [100],
        data: Int32Array.from({ length: 100 }, (_, i) => (i < value ? 7 : i)),
      },
    });
    expect(goldenDifference(plain, labels(0), labels(2))).toBeNull();
    expect(goldenDifference(plain, labels(0), labels(4))).toBe("map: 4 of 100 elements differ");
  });

  test("requires a signal", () => {
    expect(hasSignal(plain, floats(0, 0))).toBe(false);
    expect(hasSignal(plain, floats(0, 1))).toBe(true);
    expect(hasSignal(found, rows(padding))).toBe(false);
    expect(hasSignal(found, rows(first))).toBe(true);
  });
});

describe("agreement in reduced precision", () => {
  interface Case {
    task: Manifest["task"];
    output: string;
    dims: number[];
    want: number[];
    got: { values: (number | "NaN")[]; same: boolean }[];
  }

  test.each(casesOf<Case>("reduced-precision"))("of %s equals the proof's verdict", (_, case_) => {
    const { task, output, dims, want } = case_;
    const tensors = (values: readonly (number | "NaN")[]): Tensors => ({
      [output]: { type: "float32", dims, data: Float32Array.from(values, Number) },
    });
    for (const { values, same } of case_.got) {
      const reason = goldenDifference(task, tensors(want), tensors(values), "mixed");
      expect(reason === null, `${values}: ${reason}`).toBe(same);
    }
  });

  test("ignores scores at the threshold, as the proof does", () => {
    const task: Manifest["task"] = { kind: "detect", output: "rows", rows: 2, classes: ["ship"] };
    const found = (...scores: number[]): Tensors => {
      const things = scores.flatMap((score, index) => [100 * index, 100, 100 * index + 50, 150, score, 0]);
      return { rows: { type: "float32", dims: [1, scores.length, 6], data: Float32Array.from(things) } };
    };
    const reason = (want: Tensors, got: Tensors) => goldenDifference(task, want, got, "fp16", 0.5);
    expect(reason(found(0.9, 0.505), found(0.9, 0))).toBeNull();
    expect(reason(found(0.9, 0), found(0.9, 0.505))).toBeNull();
    expect(reason(found(0.9, 0.52), found(0.9, 0))).toContain("1 are missing");
    expect(reason(found(0.9, 0), found(0.9, Number.NaN))).toBeNull(); // no row is found there
    expect(reason(found(0.505, 0), found(0, 0))).toContain("1 are missing");
    expect(goldenDifference(task, found(0.9, 0.505), found(0.9, 0))).toContain("1 are missing");
  });

  test("of integers is exact, of a rotated box by its corners", () => {
    const labels = (...data: number[]): Tensors => ({
      map: { type: "int32", dims: [data.length], data: Int32Array.from(data) },
    });
    expect(goldenDifference({ kind: "tensor" }, labels(1, 2), labels(1, 2), "fp16")).toBeNull();
    expect(goldenDifference({ kind: "tensor" }, labels(1, 2), labels(1, 3), "fp16")).toContain("1 of 2");
    const task: Manifest["task"] = { kind: "obb", output: "rows", rows: 1, classes: ["ship"] };
    const turned = (angle: number): Tensors => ({
      rows: { type: "float32", dims: [1, 1, 7], data: Float32Array.of(100, 100, 80, 20, 0.9, 0, angle) },
    });
    expect(goldenDifference(task, turned(0.5), turned(0.51 + Math.PI), "fp16")).toBeNull();
    expect(goldenDifference(task, turned(0.5), turned(0.52), "fp16")).not.toBeNull();
  });
});
