import { describe, expect, test, vi } from "vitest";
import type { ImageSource } from "../../src/index.js";
import { checkReference, ReferenceFeeds } from "../../src/inputs/reference-input.js";
import type { ImageInput, Manifest, ReferenceInput } from "../../src/manifest/manifest.js";
import { withOptionPictures } from "../../src/preprocess/option-pictures.js";
import { wrapsExactly } from "../../src/preprocess/wrapped-picture-self-check.js";
import { INPUT } from "../support/image-input.js";

describe("the reference image of a run", () => {
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

  test("is required if the model takes one, and refused elsewhere", () => {
    expect(() => checkReference(inputs, undefined)).toThrow(
      "reference: wanted the second picture, none was given",
    );
    expect(() => checkReference(inputs, "a.png")).toThrow("got string");
    expect(() => checkReference([image], picture)).toThrow("the model takes one picture");
    expect(() => checkReference(inputs, picture)).not.toThrow();
    expect(() => checkReference([image], undefined)).not.toThrow();
  });

  test("becomes its own input's tensor", async () => {
    const { style } = await new ReferenceFeeds(inputs).feeds(picture, undefined);
    expect(style?.dims).toEqual([1, 3, 1, 2]);
    expect(Array.from(style?.data as Float32Array)).toEqual([1, 0, 0, 0.4, 0.2, 0].map(Math.fround));
    expect(await new ReferenceFeeds([image]).feeds(picture, 1)).toEqual({});
  });

  test("is decoded once for all tiles and frames, and again for another image", async () => {
    await wrapsExactly(); // decodes its own images, once
    const decode = vi.spyOn(globalThis, "createImageBitmap");
    const canvas = new OffscreenCanvas(2, 1);
    canvas.getContext("2d")?.putImageData(picture, 0, 0);
    const blob = await canvas.convertToBlob();
    const manifest = { task: { kind: "image" } };
    const feeds = new ReferenceFeeds(inputs);
    // The calls that one run makes for each tile.
    const run = (reference: ImageSource): Promise<unknown> =>
      withOptionPictures(manifest, { reference }, async (packed) => {
        const { reference, pictureKeys } = await packed;
        for (let tile = 0; tile < 3; tile++) {
          const { style } = await feeds.feeds(reference as Blob, pictureKeys?.reference);
          expect(style?.dims).toEqual([1, 3, 1, 2]);
        }
      });
    for (let frame = 0; frame < 3; frame++) await run(blob);
    expect(decode).toHaveBeenCalledTimes(1);
    await run(await canvas.convertToBlob());
    expect(decode).toHaveBeenCalledTimes(2);
    decode.mockClear();
    const read = vi.spyOn(VideoFrame.prototype, "copyTo");
    for (let frame = 0; frame < 2; frame++) await run(canvas);
    // A canvas may have been redrawn: it is copied and read again, once per run.
    expect([decode.mock.calls.length, read.mock.calls.length]).toEqual([2, 2]);
    vi.restoreAllMocks();
  });

  test("in an <img> that is loading another image is that other one", async () => {
    const manifest = { task: { kind: "image" } };
    const feeds = new ReferenceFeeds(inputs);
    const element = new Image();
    const canvas = new OffscreenCanvas(2, 1);
    const context = canvas.getContext("2d");
    const addresses: string[] = [];
    for (const color of ["#ff0000", "#00ff00"]) {
      Object.assign(context ?? {}, { fillStyle: color });
      context?.fillRect(0, 0, 2, 1);
      addresses.push(URL.createObjectURL(await canvas.convertToBlob()));
    }
    const run = (address: string): Promise<number[]> => {
      element.src = address;
      return withOptionPictures(manifest, { reference: element }, async (packed) => {
        const { reference, pictureKeys } = await packed;
        const { style } = await feeds.feeds(reference as unknown as ImageBitmap, pictureKeys?.reference);
        return Array.from(style?.data as Float32Array);
      });
    };
    const colors: number[][] = [];
    for (const address of [...addresses, ...addresses]) colors.push(await run(address));
    const [red, green] = [
      [1, 1, 0, 0, 0, 0],
      [0, 0, 1, 1, 0, 0],
    ];
    expect(colors).toEqual([red, green, red, green]);
  });

  test("that cannot be decoded is tried again", async () => {
    const feeds = new ReferenceFeeds(inputs);
    await expect(feeds.feeds(new Blob(["no picture"]), 1)).rejects.toMatchObject({
      code: "unreadable-image",
    });
    const { style } = await feeds.feeds(picture, 1);
    expect(style?.dims).toEqual([1, 3, 1, 2]);
  });
});
