// The picture for the stage: its size is the model's, whatever its EXIF metadata say.

import { expect, test } from "vitest";
import { decodePicture } from "../../page/input/picture.js";

/** A JPEG of 16 x 8 pixels whose EXIF gives 144 pixels per inch, and half the size: browsers show it at 8 x 4. */
const DENSE =
  "/9j/4AAQSkZJRgABAQAAAQABAAD/4QCARXhpZgAATU0AKgAAAAgABQESAAMAAAABAAEAAAEaAAUAAAABAAAASgEbAAUAAAABAAAAUgEoAAMA" +
  "AAABAAIAAIdpAAQAAAABAAAAWgAAAAAAAACQAAAAAQAAAJAAAAABAAKgAgADAAAAAQAIAACgAwADAAAAAQAEAAAAAAAA/9sAQwBQNzxGPDJQ" +
  "RkFGWlVQX3jIgnhubnj1r7mRyP///////////////////////////////////////////////////8AACwgACAAQAQERAP/EABUAAQEAAAAA" +
  "AAAAAAAAAAAAAAAD/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAAPwCQ/9k=";
/** Animations of 2 x 2 pixels: a red frame, and a blue one after 50 ms. */
const ANIMATIONS: Readonly<Record<string, string>> = {
  "image/gif":
    "R0lGODlhAgACAIEAAP8AAAAAAAAAAAAAACH/C05FVFNDQVBFMi4wAwEAAAAh+QQABQAAACwAAA" +
    "AAAgACAAAIBgABCAQQEAAh+QQBBQABACwAAAAAAgACAIEAAP8AAAAAAAAAAAAIBgABCAQQEAA7",
  "image/webp":
    "UklGRoQAAABXRUJQVlA4WAoAAAACAAAAAQAAAQAAQU5JTQYAAAAAAAAAAABBTk1GKAAAAAAAAAAAAAEAAAEAADIAAAJWUDhMDwAAAC8BQAAABxD9" +
    "j/4HIqL/AQBBTk1GKAAAAAAAAAAAAAEAAAEAADIAAABWUDhMDwAAAC8BQAAABxDR//4HIqL/AQA=",
  "image/png":
    "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACGFjVEwAAAACAAAAAPONk3AAAAAaZmNUTAAAAAAAAAACAAAAAgAAAAAAAAAAAAEA" +
    "FAAA/uxSegAAABZJREFUeJxj/M/AwMDAwMTAwMDAwAAADR0BA2rCm+kAAAAaZmNUTAAAAAEAAAACAAAAAgAAAAAAAAAAAAEAFAAAZZ+4rgAAABpm" +
    "ZEFUAAAAAnicY2Rg+M/AwMDEwMDAwMAAAAsfAQM5oA0PAAAAAElFTkSuQmCC",
  "image/avif":
    "AAAALGZ0eXBhdmlzAAAAAGF2aWZhdmlzbXNmMWlzbzhtaWYxbWlhZk1BMUIAAADrbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAA" +
    "AAAAAAAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAPlAAAAJwAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAAAAEAAGF2MDFD" +
    "b2xvcgAAAABqaXBycAAAAEtpcGNvAAAAFGlzcGUAAAAAAAAAAgAAAAIAAAAQcGl4aQAAAAADCAgIAAAADGF2MUOBAAwAAAAAE2NvbHJuY2x4AAEA" +
    "DQAGgAAAABdpcG1hAAAAAAAAAAEAAQQBAoMEAAACxm1vb3YAAAB4bXZoZAEAAAAAAAAA5zQZ3AAAAADnNBncAAAD6P//////////AAEAAAEAAAAA" +
    "AAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEAAAJGdHJhawAAAGh0" +
    "a2hkAQAAAQAAAADnNBncAAAAAOc0GdwAAAABAAAAAP//////////AAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAAAAAAA" +
    "AAAAQAAAAAACAAAAAgAAAAAALGVkdHMAAAAkZWxzdAEAAAEAAAABAAAAAAAAAGQAAAAAAAAAAAABAAAAAAGqbWRpYQAAACxtZGhkAQAAAAAAAADn" +
    "NBncAAAAAOc0GdwAAAPoAAAAAAAAAGRVxAAAAAAAIWhkbHIAAAAAAAAAAHBpY3QAAAAAAAAAAAAAAAAAAAABVW1pbmYAAAAUdm1oZAAAAAEAAAAA" +
    "AAAAAAAAACRkaW5mAAAAHGRyZWYAAAAAAAAAAQAAAAx1cmwgAAAAAQAAARVzdGJsAAAAlXN0c2QAAAAAAAAAAQAAAIVhdjAxAAAAAAAAAAEAAAAA" +
    "AAAAAAAAAAAAAAAAAAIAAgBIAAAASAAAAAAAAAABCkFPTSBDb2RpbmcAAAAAAAAAAAAAAAAAAAAAAAAAAAAAGP//AAAADGF2MUOBAAwAAAAAE2Nv" +
    "bHJuY2x4AAEADQAGgAAAABBjY3N0AAAAAHwAAAAAAAAYc3R0cwAAAAAAAAABAAAAAgAAADIAAAAcc3RzYwAAAAAAAAABAAAAAQAAAAIAAAABAAAA" +
    "HHN0c3oAAAAAAAAAAAAAAAIAAAAnAAAAIAAAABRzdGNvAAAAAAAAAAEAAAPlAAAAFHN0c3MAAAAAAAAAAQAAAAEAAABPbWRhdBIACgwAAAAABm18" +
    "yAhoNCAyFRAAoAAAAkAAAEZp7e7s1VRRxDbYuBIAMhwwA8CAAABGoAAAAkAAAIAAHuX9dDxrfRBeYbQB",
};
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

test.each(Object.entries(ANIMATIONS))(
  "of an animation the first frame is shown, as the model sees it: %s",
  async (type, file) => {
    const animated = blobOf(bytesOf(file), type);
    const { picture, size, blob } = await decodePicture({ blob: animated, title: "animated" });
    expect(blob).not.toBe(animated);
    expect([picture instanceof HTMLImageElement, size, blob.type]).toEqual([
      true,
      { width: 2, height: 2 },
      "image/png",
    ]);
    const context = new OffscreenCanvas(2, 2).getContext("2d");
    context?.drawImage(await createImageBitmap(blob), 0, 0);
    const [red = 0, green, blue] = context?.getImageData(0, 0, 1, 1).data ?? [];
    expect([red > 250, green, blue]).toEqual([true, 0, 0]);
  },
);

test("a file that is no picture is refused", async () => {
  const decoding = decodePicture({ blob: blobOf("no picture", "image/png"), title: "notes" });
  await expect(decoding).rejects.toMatchObject({ code: "unreadable-image" });
});
