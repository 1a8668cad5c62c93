import { expect, test } from "vitest";
import { readByCanvas } from "../../src/preprocess/canvas-pixels.js";
import { testPicture } from "../../src/preprocess/test-picture.js";
import { DECODE_OPTIONS, unwrap, withUnwrapped, wrapInFrame } from "../../src/preprocess/wrapped-picture.js";
import { wrapsExactly } from "../../src/preprocess/wrapped-picture-self-check.js";

function wrapped(source: ImageData | ImageBitmap): NonNullable<ReturnType<typeof wrapInFrame>> {
  const made = wrapInFrame(source);
  if (made === null) throw new Error("this browser makes no frame of it");
  return made;
}

function opaquePicture(): ImageData {
  const picture = testPicture();
  for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 255;
  return picture;
}

test("wrapped images are exact in this browser", async () => expect(await wrapsExactly()).toBe(true));

test("ImageData comes as the same bytes, alpha included, and is not transferred", async () => {
  const picture = testPicture();
  const got = await unwrap(wrapped(picture));
  expect(got).toEqual(testPicture());
  expect(picture).toEqual(testPicture());
});

test("an opaque bitmap comes as its bytes", async () => {
  const got = await unwrap(wrapped(await createImageBitmap(opaquePicture())));
  expect(got).toEqual(opaquePicture());
});

test.each(["premultiply", "none"] as const)(
  "a bitmap with alpha is as on a canvas: %s",
  async (premultiplyAlpha) => {
    const bitmap = await createImageBitmap(testPicture(), { premultiplyAlpha });
    const got = await unwrap(wrapped(bitmap));
    if (got instanceof ImageData) throw new Error("its bytes are not those of a canvas");
    const want = readByCanvas(await createImageBitmap(bitmap, DECODE_OPTIONS));
    expect(readByCanvas(got).data).toEqual(want.data);
  },
);

test("the memory of an image is reused by later ones only", async () => {
  const buffers: unknown[] = [];
  const bytesOf = (picture: ImageData) =>
    withUnwrapped([wrapped(picture), wrapped(testPicture())], async ([first, second]) => {
      if (!(first instanceof ImageData && second instanceof ImageData)) throw new Error("no bytes");
      expect(second).toEqual(testPicture());
      buffers.push(first.data.buffer, second.data.buffer);
      return first.data.slice();
    });
  expect(await bytesOf(opaquePicture())).toEqual(opaquePicture().data);
  expect(await bytesOf(testPicture())).toEqual(testPicture().data);
  expect(new Set(buffers.slice(0, 2)).size).toBe(2);
  expect(new Set(buffers).size).toBe(2);
});

test("an image that is too large is not wrapped", () => {
  expect(wrapInFrame(new ImageData(40_000, 1))).toBeNull();
});
