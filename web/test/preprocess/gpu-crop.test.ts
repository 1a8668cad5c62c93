import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { CropInput } from "../../src/manifest/manifest.js";
import { cropOnCpu } from "../../src/preprocess/crop/cpu-crop.js";
import { cropDifference } from "../../src/preprocess/crop/crop-self-check.js";
import { GpuCrop } from "../../src/preprocess/crop/gpu-crop.js";
import { type Crop, placeCrop } from "../../src/preprocess/crop/place-crop.js";
import { cropTensor } from "../../src/preprocess/crop/scene-crops.js";
import { type Scene, SceneStore } from "../../src/stages/scene-store.js";
import { isOnGpu } from "../../src/tensors/gpu-tensor.js";
import { hasWebgpu } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";
import { casesOf } from "../support/conformance.js";
import { CROP_INPUT, type CropCase, cropBox } from "../support/crops.js";

/** Of 255: float32 positions are off by a thousandth of a pixel at most. */
const ROUNDING = 0.05;

const INPUT: CropInput = { ...CROP_INPUT, shape: [1, 3, 40, 30], padding: 1.25 };

function painted(width: number, height: number): ImageData {
  const data = new ImageData(width, height);
  for (let at = 0, seed = 1; at < data.data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data.data[at] = at % 4 === 3 && at % 3 > 0 ? 255 : seed % 256;
  }
  return data;
}

function boxes(count: number, width: number, height: number): Crop[] {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 48271) % 2147483647;
    return seed / 2147483647;
  };
  return Array.from({ length: count }, () => {
    const [x, y] = [(random() * 1.4 - 0.2) * width, (random() * 1.4 - 0.2) * height];
    const box: [number, number, number, number] = [x, y, x + random() * width, y + random() * height];
    return placeCrop(cropBox({ box, points: [] }), INPUT);
  });
}

describe.runIf(hasWebgpu)("crops made on the GPU", () => {
  let device: GPUDevice;

  beforeAll(async () => {
    const adapter = await navigator.gpu.requestAdapter();
    if (adapter === null) throw new Error("no WebGPU adapter");
    device = await adapter.requestDevice();
    device.addEventListener("uncapturederror", ({ error }) => {
      throw error;
    });
  });

  test.each(casesOf<CropCase>("crop"))("equal %s", async (_, { input, image, boxes, want, tolerance }) => {
    const gpu = await GpuCrop.open(device, input);
    await gpu.setPicture(new ImageData(Uint8ClampedArray.from(image.rgba), image.width, image.height));
    const tensor = await gpu.cut(boxes.map((each) => placeCrop(cropBox(each), input)));
    expectClose((await tensor.read()).data as Float32Array, want.tensor, tolerance + ROUNDING);
    gpu.destroy();
  });

  test.each([
    [1, 1],
    [57, 41],
    [1500, 900],
  ])("equal the CPU's for an image of %i x %i", async (width, height) => {
    const picture = painted(width, height);
    const crops = boxes(9, width, height);
    const want = cropOnCpu(picture, INPUT, crops);
    const tensor = await cropTensor(picture, INPUT, crops, device);
    if (!isOnGpu(tensor)) throw new Error("not on the GPU");
    expect(Math.max(...want)).toBeGreaterThan(50);
    expectClose((await tensor.read()).data as Float32Array, want, ROUNDING * 4);
  });

  test("use their own image, whatever runs meanwhile", async () => {
    const [one, other] = [painted(30, 20), painted(20, 30)];
    const crops = boxes(2, 30, 20);
    const tensors = await Promise.all(
      [one, other, one].map((each) => cropTensor(each, INPUT, crops, device)),
    );
    for (const [index, picture] of [one, other, one].entries()) {
      const tensor = tensors[index];
      if (tensor === undefined || !isOnGpu(tensor)) throw new Error("not on the GPU");
      expectClose((await tensor.read()).data as Float32Array, cropOnCpu(picture, INPUT, crops), ROUNDING * 4);
    }
  });

  test("leave no texture after an image's release, and can be made again", async () => {
    const kept = new Set<GPUTexture>();
    const { createTexture } = device;
    const { destroy } = GPUTexture.prototype;
    vi.spyOn(device, "createTexture").mockImplementation((given) => {
      const texture = createTexture.call(device, given);
      kept.add(texture);
      return texture;
    });
    vi.spyOn(GPUTexture.prototype, "destroy").mockImplementation(function (this: GPUTexture) {
      kept.delete(this);
      return destroy.call(this);
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
    });
    const scenes = new SceneStore();
    const ref = { modelId: 0, scene: 0 };
    const image = await createImageBitmap(painted(30, 20));
    scenes.keep(ref, { view: { picture: image, results: new Map() }, tensors: {} } as unknown as Scene);
    const crops = boxes(2, 30, 20);
    await cropTensor(image, INPUT, crops, device);
    expect(kept.size).toBe(1);
    scenes.release(ref);
    await expect.poll(() => kept.size).toBe(0);
    expect(isOnGpu(await cropTensor(painted(30, 20), INPUT, crops, device))).toBe(true);
  });

  test("work after an image that could not be read at first", async () => {
    const image = await createImageBitmap(painted(30, 20));
    const draw = vi.spyOn(OffscreenCanvasRenderingContext2D.prototype, "getImageData");
    draw.mockImplementationOnce(() => {
      throw new Error("no memory");
    });
    const cut = () => cropTensor(image, INPUT, boxes(1, 30, 20), null);
    await expect(cut()).rejects.toThrow("no memory");
    expect((await cut()).dims).toEqual([1, 3, 40, 30]);
    draw.mockRestore();
  });

  test("pass the self-check, and fail it if the shader gets another input", async () => {
    const gpu = await GpuCrop.open(device, INPUT);
    expect(await cropDifference(gpu, INPUT)).toBeNull();
    const brighter = await GpuCrop.open(device, { ...INPUT, scale: 1.1 });
    expect(await cropDifference(brighter, INPUT)).toMatch(/differs by \d/);
  });

  test("are made on the CPU for an image larger than any texture", async () => {
    const most = device.limits.maxTextureDimension2D;
    const picture = painted(most + 1, 1);
    const tensor = await cropTensor(picture, INPUT, boxes(1, 30, 1), device);
    expect(isOnGpu(tensor)).toBe(false);
  });
});
