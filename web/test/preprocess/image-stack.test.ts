import { describe, expect, test } from "vitest";
import { focusFeeds } from "../../src/inputs/focus-distances.js";
import { completeFeeds } from "../../src/inputs/validate-inputs.js";
import type { FocusInput, ImageInput, Manifest, StackInput } from "../../src/manifest/manifest.js";
import { preprocessOnCpu } from "../../src/preprocess/cpu-preprocess.js";
import { checkPictureCount, runInput } from "../../src/preprocess/image-input.js";

const letterbox = { mode: "stretch", anchor: "center", pad: 114, interpolation: "nearest" } as const;
const common = {
  dtype: "float32",
  color: "rgb",
  scale: 1,
  mean: [0, 0, 0],
  std: [1, 1, 1],
  letterbox,
} as const;
const stack = {
  kind: "stack",
  name: "stack",
  shape: [1, 2, 3, 1, 2],
  count: 2,
  ...common,
} as unknown as StackInput;
const focus: FocusInput = {
  kind: "focus",
  name: "distances",
  dtype: "float32",
  shape: [1, 2],
  default: [0.5, 3],
};

function picture(width: number, ...levels: number[]): ImageData {
  const rgba = levels.flatMap((level) => [level, level + 1, level + 2, 255]);
  return new ImageData(Uint8ClampedArray.from(rgba), width, levels.length / width);
}

const manifest = { inputs: [stack, focus] } as unknown as Manifest;

describe("a stack", () => {
  test("becomes one tensor, image after image, each with its channels first", async () => {
    const { name, tensor, geometry } = await preprocessOnCpu(manifest.inputs, [
      picture(2, 10, 20),
      picture(2, 30, 40),
    ]);
    expect(name).toBe("stack");
    expect(tensor.dims).toEqual([1, 2, 3, 1, 2]);
    expect(Array.from(tensor.data as Float32Array)).toEqual([10, 20, 11, 21, 12, 22, 30, 40, 31, 41, 32, 42]);
    expect(geometry.source).toEqual({ width: 2, height: 1 });
  });

  test("of images of two sizes is refused, naming both sizes", async () => {
    await expect(
      preprocessOnCpu(manifest.inputs, [picture(2, 10, 20), picture(1, 30)]),
    ).rejects.toMatchObject({
      code: "invalid-image",
      message: "picture 2 of the stack is 1 x 1, the first is 2 x 1",
    });
  });

  test("takes an array with the right number of images", () => {
    const taken = runInput(manifest.inputs);
    expect(checkPictureCount(taken, ["a", "b"])).toEqual(["a", "b"]);
    for (const odd of [["a"], ["a", "b", "c"], "a"]) {
      expect(() => checkPictureCount(taken, odd)).toThrow("the model takes an array of 2 pictures");
    }
  });

  test("is refused by a model of one image", () => {
    const image = { ...common, kind: "image", name: "image", shape: [1, 3, 1, 2] } as unknown as ImageInput;
    const taken = runInput([image]);
    expect(checkPictureCount(taken, "a")).toEqual(["a"]);
    expect(() => checkPictureCount(taken, ["a"])).toThrow("the model takes one picture, got an array of 1");
  });
});

describe("focal distances", () => {
  test("default to the manifest's", () => {
    const own = { type: "float32", dims: [1, 2], data: Float32Array.of(0.5, 3) };
    expect(focusFeeds(manifest.inputs, undefined)).toEqual({ distances: own });
    const data = new Float32Array(12);
    const fed = completeFeeds(manifest.inputs, { stack: { type: "float32", dims: [1, 2, 3, 1, 2], data } });
    expect(fed.distances).toEqual(own);
  });

  test("are the caller's if given", () => {
    expect(focusFeeds(manifest.inputs, [1, 2]).distances?.data).toEqual(Float32Array.of(1, 2));
  });

  test.each([[[1]], [[1, 2, 3]], [[1, Number.NaN]], [[1, Number.POSITIVE_INFINITY]], ["ab"]])(
    "%j are refused",
    (odd) => {
      const refused = expect.objectContaining({
        code: "invalid-option",
        fix: expect.stringContaining("2 finite"),
      });
      expect(() => focusFeeds(manifest.inputs, odd as number[])).toThrow(refused);
    },
  );

  test("are no option of a model without them", () => {
    expect(focusFeeds([stack], undefined)).toEqual({});
    expect(() => focusFeeds([stack], [1, 2])).toThrow("focusDistances: the model takes none");
  });
});
