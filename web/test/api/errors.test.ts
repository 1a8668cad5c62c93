// Whatever a public call gets, it rejects with a WebbuildError: a code for programs, a fix for people.

import { describe, expect, test } from "vitest";
import type { LoadOptions, Model, RunOptions } from "../../src/index.js";
import { bundle, keepEngine, loadTiny, picture, runtime, sharedTiny } from "../support/bundle.js";
import { film } from "../support/playing-video.js";

keepEngine("wasm");

/** A value that no call accepts, whatever its declared type. */
const odd = (value: unknown): never => value as never;

/** Returns the error that is thrown or rejected with. */
async function failure(act: () => unknown): Promise<unknown> {
  try {
    await act();
  } catch (error) {
    return error;
  }
  throw new Error("nothing was thrown");
}

async function expectError(act: () => unknown, code: string, fix: RegExp): Promise<void> {
  const error = await failure(act);
  expect(error).toBeInstanceOf(runtime.WebbuildError);
  expect(error).toMatchObject({ code, message: expect.stringMatching(/./), fix: expect.stringMatching(fix) });
}

const AT_ALL: readonly unknown[] = [
  undefined,
  null,
  1,
  "text",
  Symbol("odd"),
  () => {},
  {},
  [],
  Object.create(null),
];

describe("load()", () => {
  const url = bundle("manifest.json");
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ["an address that is none", () => runtime.load("http://"), /relative to the page/],
    ["an offline address that is none", () => runtime.load(url, { offline: "http://" }), /relative/],
    ["null for options", () => runtime.load(url, odd(null)), /takes the options backend/],
    ["an unknown option", () => runtime.load(url, odd({ device: "gpu" })), /leave device out.*backend/],
    ["the name of a method", () => runtime.load(url, odd({ toString: 1 })), /leave toString out/],
    ["a backend that is none", () => runtime.load(url, { backend: odd("webgl") }), /"webgpu" or "wasm"/],
    ["a precision that is none", () => runtime.load(url, { precision: odd("int8") }), /"fp16"/],
    ["a signal that is none", () => runtime.load(url, { signal: odd({}) }), /AbortSignal/],
    ["a listener that is none", () => runtime.load(url, { onProgress: odd("log") }), /a function/],
    ["a worker that is none", () => runtime.load(url, { worker: odd("worker.js") }), /a function/],
    ["a cache mode of fetch()", () => runtime.load(url, { cache: odd("no-store") }), /true or false/],
    ["a self-test that is a text", () => runtime.load(url, { selfTest: odd("false") }), /true or false/],
    ["addresses that are none", () => runtime.load(url, { addresses: odd({ a: () => "b" }) }), /addresses/],
  ];

  test.each(cases)("%s", (_, act, fix) => expectError(act, "invalid-option", fix));

  test.each(AT_ALL)("%o for an address", async (value) => {
    await expectError(() => runtime.load(odd(value)), expect.stringMatching(/./), /./);
  });

  test.each(AT_ALL.slice(1))("%o for an option", async (value) => {
    const options: LoadOptions = odd({ surprise: value });
    await expectError(() => runtime.load(url, options), "invalid-option", /leave surprise out/);
  });

  test.each(["auto", "wasm"] as const)("a browser without WebAssembly, with backend %s", async (backend) => {
    const own = globalThis.WebAssembly;
    Reflect.deleteProperty(globalThis, "WebAssembly");
    try {
      await expectError(() => runtime.load(url, { backend }), "engine-failed", /Lockdown Mode/);
    } finally {
      Object.defineProperty(globalThis, "WebAssembly", { value: own, configurable: true, writable: true });
    }
  });

  test("an error thrown by its worker factory", async () => {
    const worker = (): never => {
      throw null;
    };
    await expectError(() => runtime.load(url, { worker }), "worker-failed", /worker-src/);
  });
});

describe("a model", () => {
  const tiny = sharedTiny({ backend: "wasm" });
  const image = new ImageData(8, 8);
  const run = (options: unknown) => (model: Model) => model.run(image, options as RunOptions);
  const feeds = (tensor: unknown) => (model: Model) => model.runTensors({ image: odd(tensor) });
  const tensor = { type: "float32", dims: [1, 3, 32, 32], data: new Float32Array(3 * 32 * 32) };
  const stream = (frames: unknown, options?: unknown) => (model: Model) =>
    model.streamTensors(odd(frames), odd(options)).next();

  const cases: [string, (model: Model) => unknown, string, RegExp][] = [
    ["null for options", run(null), "invalid-option", /takes the options/],
    ["a word of another library", run({ threshold: 0.9 }), "invalid-option", /confidence, iou, slices/],
    ["a function as an option", run({ onDone: () => {} }), "invalid-option", /leave onDone out/],
    ["an option of another task", run({ mode: "panoptic" }), "invalid-option", /leave mode out/],
    ["a signal that is none", run({ signal: 5 }), "invalid-option", /AbortSignal/],
    ["a threshold that is a text", run({ confidence: "0.5" }), "invalid-option", /a number/],
    [
      "a transparency option that is a function",
      run({ confidenceAlpha: () => true }),
      "invalid-option",
      /true or false/,
    ],
    ["null for feeds", (model) => model.runTensors(odd(null)), "invalid-input", /image/],
    ["null for a tensor", feeds(null), "invalid-input", /float32/],
    ["a tensor that is a number", feeds(3), "invalid-input", /float32/],
    ["data without a class", feeds({ ...tensor, data: Object.create(null) }), "invalid-input", /float32/],
    ["one frame for a sequence", stream({ image: tensor }), "invalid-input", /runTensors/],
    ["null for options of a sequence", stream([], null), "invalid-option", /takes the options/],
    ["a video that is none", (model) => model.stream(odd(null), () => {}), "invalid-image", /<video>/],
    [
      "stream options that are no object",
      async (model) => model.stream((await film()).video, () => {}, odd({ fps: 5 })),
      "invalid-option",
      /leave fps out/,
    ],
    [
      "a listener that is no function",
      async (model) => model.stream((await film()).video, odd({})),
      "invalid-option",
      /a function/,
    ],
  ];

  test.each(cases)("%s", (_, act, code, fix) => expectError(() => act(tiny()), code, fix));

  test("extra properties of a tensor object are ignored", async () => {
    const outputs = await tiny().runTensors({ image: odd({ ...tensor, note: () => {} }) });
    expect(Object.keys(outputs)).toEqual(["detections"]);
  });

  test.each(AT_ALL)("%o for an image", async (value) => {
    await expectError(() => tiny().run(odd(value)), "invalid-image", /give/);
    await expectError(() => tiny().preprocess(odd(value)), "invalid-image", /give/);
  });

  test.each(AT_ALL)("%o for a depth result", async (value) => {
    await expectError(() => runtime.depthAt(odd(value), 0, 0), "invalid-input", /depth model/);
  });

  test("a call after dispose()", async () => {
    const model = await loadTiny({ backend: "wasm" });
    await model.dispose();
    for (const act of [
      () => model.run(image),
      () => model.preprocess(image),
      () => model.runTensors({ image: odd(tensor) }),
      async () => model.stream((await film()).video, () => {}),
    ])
      await expectError(act, "disposed", /load/);
  });
});

describe("an image that cannot be read", () => {
  const tiny = sharedTiny({ backend: "wasm" });

  /** An <img> of another origin, which is this server under another name. */
  async function foreign(crossOrigin: string | null): Promise<HTMLImageElement> {
    const image = new Image();
    image.crossOrigin = crossOrigin;
    image.src = `http://elsewhere.localhost:${location.port}/pictures/upright.png`;
    await image.decode();
    return image;
  }

  async function canvas(): Promise<HTMLCanvasElement> {
    const drawn = document.createElement("canvas");
    drawn.getContext("2d")?.drawImage(await foreign(null), 0, 0);
    return drawn;
  }

  const of: [string, () => Promise<HTMLImageElement | HTMLCanvasElement | ImageBitmap>][] = [
    ["an <img>", () => foreign(null)],
    ["a <canvas>", canvas],
    ["an ImageBitmap", async () => createImageBitmap(await foreign(null))],
  ];

  test.each(of)("%s of another origin", async (_, make) => {
    const source = await make();
    await expectError(() => tiny().run(source), "unreadable-image", /crossorigin="anonymous"/);
    await expectError(() => tiny().preprocess(source), "unreadable-image", /crossorigin="anonymous"/);
    expect(await tiny().run(await picture("upright.png"))).toMatchObject({ kind: "pose" });
  });

  test("an <img> of another origin with CORS is read", async () => {
    expect(await tiny().run(await foreign("anonymous"))).toMatchObject({ kind: "pose" });
  });

  test("an image that was closed or transferred before", async () => {
    const bitmap = await createImageBitmap(new ImageData(4, 4));
    const frame = new VideoFrame(bitmap, { timestamp: 0 });
    frame.close();
    bitmap.close();
    const data = new ImageData(4, 4);
    structuredClone(data.data.buffer, { transfer: [data.data.buffer] });
    for (const source of [bitmap, frame, data])
      await expectError(() => tiny().run(source), "unreadable-image", /before|transferred/);
  });
});
