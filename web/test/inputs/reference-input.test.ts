import { describe, expect, test } from "vitest";
import { checkReference, referenceFeeds } from "../../src/inputs/reference-input.js";
import type { ImageInput, Manifest, ReferenceInput } from "../../src/manifest/manifest.js";
import { INPUT } from "../support/image-input.js";

describe("the second picture of a run", () => {
  const image: ImageInput = { ...INPUT, name: "image", shape: [1, 3, 4, 4], mean: [0, 0, 0], std: [1, 1, 1] };
  const { mask: _, ...same } = image;
  const reference: ReferenceInput = {
    ...same,
    kind: "reference",
    name: "style",
    shape: [1, 3, 1, 2],
    letterbox: { ...image.letterbox, mode: "stretch" },
  };
  const inputs: Manifest["inputs"] = [image, reference];
  const picture = new ImageData(Uint8ClampedArray.of(255, 0, 51, 255, 0, 102, 0, 255), 2, 1);

  test("is needed where the model takes one, and nowhere else", () => {
    expect(() => checkReference(inputs, undefined)).toThrow(
      "reference: wanted the second picture, none was given",
    );
    expect(() => checkReference(inputs, "a.png")).toThrow("got string");
    expect(() => checkReference([image], picture)).toThrow("the model takes one picture");
    expect(() => checkReference(inputs, picture)).not.toThrow();
    expect(() => checkReference([image], undefined)).not.toThrow();
  });

  test("becomes its own input's tensor", async () => {
    const { style } = await referenceFeeds(inputs, picture);
    expect(style?.dims).toEqual([1, 3, 1, 2]);
    expect(Array.from(style?.data as Float32Array)).toEqual([1, 0, 0, 0.4, 0.2, 0].map(Math.fround));
    expect(await referenceFeeds([image], picture)).toEqual({});
  });
});
