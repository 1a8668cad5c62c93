import { afterEach, beforeAll, describe, expect, test } from "vitest";
import type { ImageInput } from "../../src/manifest/manifest.js";
import { GpuPreprocess } from "../../src/preprocess/gpu/gpu-preprocess.js";
import { type TextureSource, textureSource } from "../../src/preprocess/gpu/upload-texture.js";
import { type Geometry, letterbox, placePicture } from "../../src/preprocess/letterbox.js";
import { type Picture, readPixels } from "../../src/preprocess/pixels.js";
import { hasWebgpu, picture } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";
import { INPUT } from "../support/image-input.js";
import { RGB, videoFrame } from "../support/video-frames.js";

interface Case {
  input: ImageInput;
  image: { width: number; height: number; rgba: number[] };
  want: { geometry: { left: number; top: number; width: number; height: number }; tensor: number[] };
}

/** Error of float32 sums, relative to the largest value. One level is 390 times as much. */
const ROUNDING = 1e-5;

const feeds: GpuPreprocess[] = [];
let device: GPUDevice;

async function open(input: ImageInput, count: number | null = null): Promise<GpuPreprocess> {
  const shape = count === null ? input.shape : [count, ...input.shape.slice(1)];
  const feed = await GpuPreprocess.open(device, { name: input.name, shape, image: input, count });
  feeds.push(feed);
  return feed;
}

async function write(feed: GpuPreprocess, frame: TextureSource, index = 0): Promise<Geometry> {
  expect(await feed.allocate(frame)).toBeNull();
  return feed.write(frame, index);
}

function largest(values: ArrayLike<number>): number {
  return Array.from(values).reduce((most, value) => Math.max(most, Math.abs(value)), 0);
}

function imageData({ width, height, rgba }: Case["image"]): ImageData {
  return new ImageData(Uint8ClampedArray.from(rgba), width, height);
}

/** An image with every colour, and every alpha on request. */
function painted(width: number, height: number, alpha = false): ImageData {
  const data = new ImageData(width, height);
  for (let at = 0, seed = 1; at < data.data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data.data[at] = at % 4 === 3 && !alpha ? 255 : seed % 256;
  }
  return data;
}

describe.runIf(hasWebgpu)("the input tensor made on the GPU", () => {
  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    device.addEventListener("uncapturederror", ({ error }) => {
      throw error;
    });
  });

  afterEach(() => {
    for (const feed of feeds.splice(0)) feed.destroy();
  });

  const floats = casesOf<Case>("preprocess").filter(([, { input }]) => input.dtype === "float32");

  test.each(floats)("equals that of %s", async (_, { input, image, want }) => {
    const feed = await open(input);
    const { source, ...geometry } = await write(feed, imageData(image));
    expect(geometry).toEqual(want.geometry);
    expectClose(await feed.read(), want.tensor, ROUNDING * largest(want.tensor));
  });
});

/** One level of 255, after the input's scaling. */
const LEVEL = INPUT.scale / Math.min(...INPUT.std);

describe.runIf(hasWebgpu)("the GPU's and the CPU's tensors are equal", () => {
  const modes = ["letterbox", "stretch", "crop"] as const;
  const resamplers = ["nearest", "bilinear", "bilinear-antialias", "bicubic"] as const;
  const sizes = [
    [1, 1],
    [57, 41],
    [333, 7],
    [13, 301],
    [640, 427],
  ] as const;

  test.each(modes.flatMap((mode) => resamplers.map((interpolation) => [mode, interpolation] as const)))(
    "%s, %s",
    async (mode, interpolation) => {
      const input = { ...INPUT, letterbox: { ...INPUT.letterbox, mode, interpolation } };
      const feed = await open(input);
      for (const [width, height] of sizes)
        await expectOne(feed, input, await createImageBitmap(painted(width, height)), ROUNDING);
    },
  );

  test.each(["turned.jpg", "alpha.png", "gamma.png"])("a file: %s", async (name) => {
    await expectOne(await open(INPUT), INPUT, await picture(name), LEVEL);
  });

  test("a bitmap with every alpha", async () => {
    const bitmap = await createImageBitmap(painted(61, 47, true), { premultiplyAlpha: "none" });
    await expectOne(await open(INPUT), INPUT, bitmap, LEVEL);
  });

  test.each([
    ...RGB,
    ["of luma and chroma", { format: "I420" }],
    ["without alpha", { format: "RGBX" }],
  ] as typeof RGB)("a VideoFrame: %s", async (_, made) => {
    const frame = videoFrame(made);
    await expectOne(await open(INPUT), INPUT, frame, LEVEL);
    frame.close();
  });

  test("a VideoFrame of luma and chroma, even if canvases without readback convert it otherwise", async () => {
    const { getContext } = OffscreenCanvas.prototype;
    const frame = videoFrame({ format: "I420" });
    const usual = await onCpu(INPUT, frame);
    OffscreenCanvas.prototype.getContext = function (this: OffscreenCanvas, ...given: unknown[]) {
      const context = Reflect.apply(getContext, this, given);
      const [, settings] = given as [string, CanvasRenderingContext2DSettings?];
      if (!settings?.willReadFrequently) context.filter = "invert(1)";
      return context;
    } as typeof getContext;
    try {
      await expectOne(await open(INPUT), INPUT, frame, LEVEL);
      expect(
        Math.max(...(await onCpu(INPUT, frame)).map((value, at) => value - (usual[at] ?? 0))),
      ).toBeGreaterThan(1);
    } finally {
      OffscreenCanvas.prototype.getContext = getContext;
      frame.close();
    }
  });

  test.each([0.4, 1])("a VideoFrame of a canvas, drawn with alpha %f", async (alpha) => {
    const canvas = new OffscreenCanvas(50, 30);
    const context = canvas.getContext("2d");
    if (context !== null) context.fillStyle = `rgb(200 30 90 / ${alpha})`;
    context?.fillRect(5, 5, 30, 20);
    const frame = new VideoFrame(canvas, { timestamp: 0 });
    await expectOne(await open(INPUT), INPUT, frame, LEVEL);
    frame.close();
  });

  test("the images of a stack, each at its position", async () => {
    const feed = await open(INPUT, 3);
    const given = [painted(30, 20), painted(30, 20, true), new ImageData(30, 20)];
    for (const [index, each] of given.entries()) await write(feed, each, index);
    const want = await Promise.all(given.map((each) => onCpu(INPUT, each)));
    expectClose(
      await feed.read(),
      want.flatMap((each) => [...each]),
      ROUNDING * 3,
    );
  });

  test("an image larger than any texture is refused, and an empty one too", async () => {
    const feed = await open(INPUT);
    const most = device.limits.maxTextureDimension2D;
    expect(await feed.allocate({ width: most + 1, height: 1 })).toContain(`${most + 1} x 1`);
    expect(await feed.allocate({ width: 0, height: 1 })).toContain("0 x 1");
    expect(await feed.allocate({ width: most, height: 1 })).toBeNull();
  });

  async function expectOne(
    feed: GpuPreprocess,
    input: ImageInput,
    given: Picture,
    within: number,
  ): Promise<void> {
    await write(feed, await textureSource(given));
    const want = await onCpu(input, given);
    expect(largest(want), "a picture of something").toBeGreaterThan(0.5);
    expectClose(await feed.read(), want, within * (within === LEVEL ? 1 : largest(want)));
  }

  async function onCpu(input: ImageInput, given: Picture): Promise<Float32Array> {
    const pixels = await readPixels(given);
    const { width, height } = pixels;
    return letterbox(pixels, input, placePicture({ width, height }, input));
  }
});
