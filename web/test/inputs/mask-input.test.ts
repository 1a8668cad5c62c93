import { describe, expect, test } from "vitest";
import type { TensorData } from "../../src/index.js";
import { checkMask, holeCells, maskFeeds, maskTensor, readHole } from "../../src/inputs/mask-input.js";
import type { ImageInput, Manifest, MaskInput } from "../../src/manifest/manifest.js";
import type { Geometry, Size } from "../../src/preprocess/letterbox.js";
import { casesOf } from "../support/conformance.js";

interface Case {
  mask: MaskInput;
  letterbox: Geometry;
  input: Size;
  hole: string[];
  want: number[];
}

test.each(casesOf<Case>("mask-inputs"))("%s", (_, { mask, letterbox, input, hole, want }) => {
  const data = Uint8Array.from(hole.join(""), Number);
  const cells = holeCells({ ...letterbox.source, data }, letterbox, input);
  const { type, dims, data: got } = maskTensor(mask, cells);
  expect([type, dims]).toEqual([mask.dtype, mask.shape]);
  expect(Array.from(got as Float32Array)).toEqual(want);
});

interface ChannelCase {
  input: ImageInput;
  letterbox: Geometry;
  hole: string[];
  picture: number[];
  want: number[];
}

test.each(casesOf<ChannelCase>("mask-channels"))("%s", (_, { input, letterbox, hole, picture, want }) => {
  const image: ImageInput = { ...input, kind: "image" };
  const data = Uint8Array.from(hole.join(""), Number);
  const masked = maskFeeds([image], { ...letterbox.source, data }, letterbox);
  expect(masked?.feeds).toEqual({});
  const tensor: TensorData = { type: "float32", dims: image.shape, data: Float32Array.from(picture) };
  masked?.change?.(tensor);
  expect(Array.from(tensor.data as Float32Array)).toEqual(want);
  expect(() => checkMask([image], undefined)).toThrow("none was given");
});

describe("the mask of a run", () => {
  const size = { width: 3, height: 1 };
  const rgba = [255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 0];
  const image = new ImageData(Uint8ClampedArray.from(rgba), 3, 1);
  const mask: MaskInput = {
    kind: "mask",
    name: "mask",
    dtype: "float32",
    shape: [1, 1, 1, 3],
    hole: 1,
    known: 0,
    emptiesPicture: true,
  };
  const picture = { kind: "image", name: "image", layout: "nchw", shape: [1, 3, 1, 3] } as ImageInput;
  const inputs: Manifest["inputs"] = [picture, mask];

  test("is white and opaque where the image is filled in", async () => {
    expect(Array.from(readHole(image, size).data)).toEqual([1, 0, 0]);
    const bitmap = await createImageBitmap(image, { premultiplyAlpha: "none" });
    expect(Array.from(readHole(bitmap, size).data)).toEqual([1, 0, 0]);
    expect(Array.from(readHole(Uint8Array.of(0, 1, 0), size).data)).toEqual([0, 1, 0]);
  });

  test("of another size is refused with both sizes", () => {
    const other = { width: 4, height: 2 };
    expect(() => readHole(image, other)).toThrow("mask: 3 x 1 pixels, the picture has 4 x 2");
    expect(() => readHole(Uint8Array.of(1), other)).toThrow("mask: 1 pixels, the picture has 4 x 2: 8");
  });

  test("is required if the model has one, and refused elsewhere", () => {
    expect(() => checkMask(inputs, undefined)).toThrow("none was given");
    expect(() => checkMask(inputs, [1])).toThrow("got object");
    expect(() => checkMask([picture], image)).toThrow("the model takes none");
    expect(() => checkMask(inputs, image)).not.toThrow();
    expect(() => checkMask([picture], undefined)).not.toThrow();
  });

  test("is no bitmap that was closed", async () => {
    const bitmap = await createImageBitmap(image);
    expect(() => checkMask(inputs, bitmap)).not.toThrow();
    bitmap.close();
    const refused = { code: "invalid-option", message: "mask: the bitmap is closed" };
    expect(() => checkMask(inputs, bitmap)).toThrow(expect.objectContaining(refused));
  });

  test("clears the hole in the image for a model that would read it", () => {
    const geometry = { source: size, left: 0, top: 0, ...size };
    const hole = { ...size, data: Uint8Array.of(0, 1, 0) };
    const found = maskFeeds(inputs, hole, geometry);
    expect(found?.feeds).toEqual({
      mask: { type: "float32", dims: [1, 1, 1, 3], data: Float32Array.of(0, 1, 0) },
    });
    for (const layout of ["nchw", "nhwc"] as const) {
      const shape = layout === "nchw" ? [1, 3, 1, 3] : [1, 1, 3, 3];
      const tensor = {
        type: "float32" as const,
        dims: shape,
        data: Float32Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9),
      };
      maskFeeds([{ ...picture, layout, shape }, mask], hole, geometry)?.change?.(tensor);
      const want = layout === "nchw" ? [1, 0, 3, 4, 0, 6, 7, 0, 9] : [1, 2, 3, 0, 0, 0, 7, 8, 9];
      expect(Array.from(tensor.data)).toEqual(want);
    }
    expect(maskFeeds([picture, { ...mask, emptiesPicture: false }], hole, geometry)?.change).toBeNull();
    expect(maskFeeds([picture], hole, geometry)).toBeNull();
  });
});
