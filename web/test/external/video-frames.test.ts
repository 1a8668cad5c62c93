// VideoFrames as external textures. The tests require a Chromium that supports them.

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ImageInput, Manifest } from "../../src/manifest/manifest.js";
import { sizeOf } from "../../src/preprocess/canvas-pixels.js";
import { checkExternalTextures } from "../../src/preprocess/gpu/external-texture-check.js";
import { ExternalTextures } from "../../src/preprocess/gpu/external-textures.js";
import { GpuPreprocess } from "../../src/preprocess/gpu/gpu-preprocess.js";
import { differenceFromCpu } from "../../src/preprocess/gpu/preprocess-self-check.js";
import { letterbox, placePicture } from "../../src/preprocess/letterbox.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { Preprocessor } from "../../src/preprocess/preprocess.js";
import { expectClose } from "../support/compare-tensors.js";
import { INPUT as ANY } from "../support/image-input.js";
import { RGB, videoFrame } from "../support/video-frames.js";
import { fromI420 } from "./bt709.js";

/** Colour values on the GPU, from 0 to 1. */
const INPUT: ImageInput = { ...ANY, mean: [0, 0, 0], std: [1, 1, 1] };
type Stack = Manifest["inputs"][number];
/** One level of 255. */
const LEVEL = 1 / 255;

let device: GPUDevice;

beforeAll(async () => {
  const adapter = await navigator.gpu.requestAdapter();
  if (adapter === null) throw new Error("no WebGPU adapter");
  device = await adapter.requestDevice();
  device.addEventListener("uncapturederror", ({ error }) => {
    throw error;
  });
});

afterAll(() => device.destroy());

async function opened<T>(input: ImageInput, work: (feed: GpuPreprocess) => Promise<T>): Promise<T> {
  const { name, shape } = input;
  const feed = await GpuPreprocess.open(device, { name, shape, image: input, count: null }, true);
  return work(feed).finally(() => feed.destroy());
}

async function made(input: ImageInput, frame: VideoFrame): Promise<Float32Array> {
  return opened(input, async (feed) => {
    expect(await feed.allocate(frame)).toBeNull();
    feed.write(frame);
    frame.close();
    return feed.read();
  });
}

async function onCpu(input: ImageInput, frame: VideoFrame): Promise<Float32Array> {
  return letterbox(await readPixels(frame), input, placePicture(sizeOf(frame), input));
}

test("this browser supports external textures", async () => {
  expect(await checkExternalTextures()).toBeNull();
});

describe("the GPU's result from an external texture equals the CPU's", () => {
  test.each(RGB)("%s", async (_, kind) => {
    const want = await onCpu(INPUT, videoFrame(kind));
    expect(Math.max(...want)).toBeGreaterThan(0.5);
    expectClose(await made(INPUT, videoFrame(kind)), want, LEVEL);
  });

  test.each(["letterbox", "stretch", "crop"] as const)("by every interpolation: %s", async (mode) => {
    for (const interpolation of ["nearest", "bilinear", "bilinear-antialias", "bicubic"] as const) {
      const input = { ...INPUT, letterbox: { ...INPUT.letterbox, mode, interpolation } };
      const kind = { codedWidth: 133, codedHeight: 71 };
      expectClose(await made(input, videoFrame(kind)), await onCpu(input, videoFrame(kind)), LEVEL);
    }
  });
});

describe("a frame that is not RGBA", () => {
  test("is converted by BT.709 on the GPU, if it is I420", async () => {
    const letterbox = { ...INPUT.letterbox, interpolation: "nearest" } as const;
    const plain: ImageInput = { ...INPUT, shape: [1, 3, 48, 64], letterbox };
    const colorSpace = { primaries: "bt709", transfer: "bt709", matrix: "bt709", fullRange: false } as const;
    const bytes = new Uint8Array((64 * 48 * 3) / 2);
    const frame = videoFrame({ format: "I420", colorSpace });
    await frame.copyTo(bytes);
    expectClose(await made(plain, frame), fromI420(bytes, 64, 48), LEVEL);
  });

  test.each(["I420", "NV12", "I444", "RGBX"] as const)(
    "is copied if the CPU converts it differently: %s",
    async (format) => {
      await opened(INPUT, async (feed) => {
        const frame = videoFrame({ format });
        const differs = await differenceFromCpu(frame, feed, INPUT);
        const reason = await new ExternalTextures(feed, INPUT, null).refusal(frame);
        frame.close();
        expect(reason === null).toBe(differs === null);
        if (reason !== null)
          expect(reason).toMatch(
            /preprocesses \w+ differently from the CPU: a pixel differs by \d+\.\d levels of 255/,
          );
      });
    },
  );

  test("is written at its position of a stack, even if the last frame makes the GPU try its kind", async () => {
    const stack = { ...INPUT, kind: "stack", shape: [1, 3, 3, 40, 56], count: 3 } as unknown as Stack;
    const { name, shape } = stack;
    const gpu = await GpuPreprocess.open(device, { name, shape, image: INPUT, count: 3 }, true);
    const preprocessor = new Preprocessor(
      [stack],
      { input: gpu, frames: new ExternalTextures(gpu, INPUT, null) },
      "",
    );
    const frames = [{}, { alpha: true }, { format: "I420" } as const].map(videoFrame);
    const { tensor, route } = await preprocessor.preprocess(frames);
    expect(route.path).toBe("gpu");
    const want = await Promise.all(frames.map((frame) => onCpu(INPUT, frame)));
    const got = "buffer" in tensor ? (await tensor.read()).data : tensor.data;
    expectClose(
      got as Float32Array,
      want.flatMap((each) => [...each]),
      LEVEL,
    );
    for (const frame of frames) frame.close();
    preprocessor.release();
  });
});
