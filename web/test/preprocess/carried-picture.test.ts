import { expect, test } from "vitest";
import { readByCanvas } from "../../src/preprocess/canvas-pixels.js";
import { carry, DECODE_OPTIONS, uncarry, withUncarried } from "../../src/preprocess/carried-picture.js";
import { carriesExactly } from "../../src/preprocess/carrier-self-check.js";
import { testPicture } from "../../src/preprocess/test-picture.js";

function carried(source: ImageData | ImageBitmap): NonNullable<ReturnType<typeof carry>> {
  const made = carry(source);
  if (made === null) throw new Error("this browser carries nothing");
  return made;
}

function opaquePicture(): ImageData {
  const picture = testPicture();
  for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 255;
  return picture;
}

test("this browser carries pictures exactly", async () => expect(await carriesExactly()).toBe(true));

test("ImageData comes as the same bytes, its alpha too, and stays the caller's", async () => {
  const picture = testPicture();
  const got = await uncarry(carried(picture));
  expect(got).toEqual(testPicture());
  expect(picture).toEqual(testPicture());
});

test("an opaque bitmap comes as its bytes", async () => {
  const got = await uncarry(carried(await createImageBitmap(opaquePicture())));
  expect(got).toEqual(opaquePicture());
});

test.each(["premultiply", "none"] as const)(
  "a bitmap with alpha is as on a canvas: %s",
  async (premultiplyAlpha) => {
    const bitmap = await createImageBitmap(testPicture(), { premultiplyAlpha });
    const got = await uncarry(carried(bitmap));
    if (got instanceof ImageData) throw new Error("its bytes are not those of a canvas");
    const want = readByCanvas(await createImageBitmap(bitmap, DECODE_OPTIONS));
    expect(readByCanvas(got).data).toEqual(want.data);
  },
);

test("the memory of pictures is the next ones', not before", async () => {
  const buffers: unknown[] = [];
  const bytesOf = (picture: ImageData) =>
    withUncarried([carried(picture), carried(testPicture())], async ([first, second]) => {
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

test("what is too large is not carried", () => {
  expect(carry(new ImageData(40_000, 1))).toBeNull();
});
