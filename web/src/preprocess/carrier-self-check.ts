// Whether a picture that crosses as a VideoFrame is the same as one that crosses as it is. Found out once in a worker.

import { readByCanvas } from "./canvas-pixels.js";
import { carry, DECODE_OPTIONS, uncarry } from "./carried-picture.js";
import { testPicture } from "./test-picture.js";

let isExact: Promise<boolean> | null = null;

/** Returns whether pictures may be carried here. Never rejects. */
export function carriesExactly(): Promise<boolean> {
  isExact ??= compare().catch(() => false);
  return isExact;
}

async function compare(): Promise<boolean> {
  const bytes = testPicture();
  const opaque = new ImageData(
    bytes.data.slice().map((value, at) => (at % 4 === 3 ? 255 : value)),
    bytes.width,
  );
  const bitmaps = [
    await createImageBitmap(opaque),
    await createImageBitmap(bytes),
    await createImageBitmap(bytes, { premultiplyAlpha: "none" }),
  ];
  try {
    const same: boolean[] = [];
    for (const source of [bytes, ...bitmaps]) same.push(await isCarriedExactly(source));
    return same.every(Boolean);
  } finally {
    for (const bitmap of bitmaps) bitmap.close();
  }
}

async function isCarriedExactly(source: ImageData | ImageBitmap): Promise<boolean> {
  const carried = carry(source);
  if (carried === null) return false;
  const own: (VideoFrame | ImageBitmap)[] = [carried.carrier];
  const pixels = (picture: ImageData | ImageBitmap): ImageData | ReturnType<typeof readByCanvas> => {
    if (picture instanceof ImageData) return picture;
    own.push(picture);
    return readByCanvas(picture);
  };
  try {
    const { data } = pixels(await uncarry(carried));
    const wanted = pixels(
      source instanceof ImageData ? source : await createImageBitmap(source, DECODE_OPTIONS),
    );
    return data.length === wanted.data.length && data.every((value, at) => value === wanted.data[at]);
  } finally {
    for (const each of own) each.close();
  }
}
