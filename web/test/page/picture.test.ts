// The picture for the stage: its size is the model's, whatever its EXIF metadata say.

import { expect, test } from "vitest";
import { decodePicture } from "../../page/input/picture.js";

/** A JPEG of 16 x 8 pixels whose EXIF gives 144 pixels per inch, and half the size: browsers show it at 8 x 4. */
const DENSE =
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4QCARXhpZgAATU0AKgAAAAgABQESAAMAAAABAAEAAAEaAAUAAAABAAAASgEbAAUAAAABAAAAUgEoAAMA" +
  "AAABAAIAAIdpAAQAAAABAAAAWgAAAAAAAACQAAAAAQAAAJAAAAABAAKgAgADAAAAAQAIAACgAwADAAAAAQAEAAAAAAAA/9sAQwBQNzxGPDJQ" +
  "RkFGWlVQX3jIgnhubnj1r7mRyP///////////////////////////////////////////////////8AACwgACAAQAQERAP/EABUAAQEAAAAA" +
  "AAAAAAAAAAAAAAAD/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAAPwCQ/9k=";
/** A GIF of 2 x 2 pixels: a red frame, and a blue one after 50 ms. */
const ANIMATED =
  "R0lGODlhAgACAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQABQAAACwAAA" +
  "AAAgACAAAIBgABCAQQEAAh+QQBBQABACwAAAAAAgACAIEAAP8AAAAAAAAAAAAIBgABCAQQEAA7";
const VECTOR = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"><path d="M0 0h4v6h-4"/></svg>';

function blobOf(content: BlobPart, type: string): Blob {
  return new Blob([content], { type });
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
}

test("a picture has the size that the model sees", async () => {
  const blob = blobOf(bytesOf(DENSE), "image/jpeg");
  const { size, ambient } = await decodePicture({ blob, title: "dense" });
  expect(size).toEqual({ width: 16, height: 8 });
  expect([ambient?.width, ambient?.height]).toEqual([32, 24]);
});

test("a vector graphic is drawn on white, so that a model can run on it", async () => {
  const shown = await decodePicture({ blob: blobOf(VECTOR, "image/svg+xml"), title: "vector" });
  expect(shown.size).toEqual({ width: 1024, height: 768 });
  const drawn = await createImageBitmap(shown.blob);
  const context = new OffscreenCanvas(1024, 768).getContext("2d");
  context?.drawImage(drawn, 0, 0);
  const colours = [256, 768].map((x) => [...(context?.getImageData(x, 384, 1, 1).data ?? [])]);
  expect(colours).toEqual([
    [0, 0, 0, 255],
    [255, 255, 255, 255],
  ]);
});

test("of an animation the first frame is shown, as the model sees it", async () => {
  const animated = blobOf(bytesOf(ANIMATED), "image/gif");
  const { picture, size, blob } = await decodePicture({ blob: animated, title: "animated" });
  expect([picture instanceof HTMLImageElement, size, blob.type]).toEqual([
    true,
    { width: 2, height: 2 },
    "image/png",
  ]);
  const context = new OffscreenCanvas(2, 2).getContext("2d");
  context?.drawImage(await createImageBitmap(blob), 0, 0);
  const [red = 0, green, blue] = context?.getImageData(0, 0, 1, 1).data ?? [];
  expect([red > 250, green, blue]).toEqual([true, 0, 0]);
});

test("a file that is no picture is refused", async () => {
  const decoding = decodePicture({ blob: blobOf("no picture", "image/png"), title: "notes" });
  await expect(decoding).rejects.toMatchObject({ code: "unreadable-image" });
});
