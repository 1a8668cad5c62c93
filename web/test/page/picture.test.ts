// The picture for the stage: its size is the model's, whatever its EXIF metadata say.

import { expect, test } from "vitest";
import { decodePicture } from "../../page/input/picture.js";

/** A JPEG of 16 x 8 pixels whose EXIF gives 144 pixels per inch, and half the size: browsers show it at 8 x 4. */
const DENSE =
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4QCARXhpZgAATU0AKgAAAAgABQESAAMAAAABAAEAAAEaAAUAAAABAAAASgEbAAUAAAABAAAAUgEoAAMA" +
  "AAABAAIAAIdpAAQAAAABAAAAWgAAAAAAAACQAAAAAQAAAJAAAAABAAKgAgADAAAAAQAIAACgAwADAAAAAQAEAAAAAAAA/9sAQwBQNzxGPDJQ" +
  "RkFGWlVQX3jIgnhubnj1r7mRyP///////////////////////////////////////////////////8AACwgACAAQAQERAP/EABUAAQEAAAAA" +
  "AAAAAAAAAAAAAAAD/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAAPwCQ/9k=";
const VECTOR = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="7"/>';

function blobOf(content: BlobPart, type: string): Blob {
  return new Blob([content], { type });
}

test("a picture has the size that the model sees", async () => {
  const blob = blobOf(
    Uint8Array.from(atob(DENSE), (sign) => sign.charCodeAt(0)),
    "image/jpeg",
  );
  const { size, ambient } = await decodePicture({ blob, title: "dense" });
  expect(size).toEqual({ width: 16, height: 8 });
  expect([ambient?.width, ambient?.height]).toEqual([32, 24]);
});

test("a vector graphic has the size of its element", async () => {
  const { size, ambient } = await decodePicture({ blob: blobOf(VECTOR, "image/svg+xml"), title: "vector" });
  expect([size, ambient]).toEqual([{ width: 9, height: 7 }, null]);
});

test("a file that is no picture is refused", async () => {
  const decoding = decodePicture({ blob: blobOf("no picture", "image/png"), title: "notes" });
  await expect(decoding).rejects.toMatchObject({ code: "unreadable-image" });
});
