// Self-check: whether pictures that are wrapped in a VideoFrame have the same pixels when unwrapped. Runs once in a worker.

import { readByCanvas } from "./canvas-pixels.js";
import { testPicture } from "./test-picture.js";
import { DECODE_OPTIONS, unwrap, wrapInFrame } from "./wrapped-picture.js";

let verdict: Promise<boolean> | null = null;

/** Returns whether wrapped pictures are exact in this browser. Never rejects. */
export function wrapsExactly(): Promise<boolean> {
  verdict ??= compare().catch(() => false);
  return verdict;
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
    for (const source of [bytes, ...bitmaps]) same.push(await isExact(source));
    return same.every(Boolean);
  } finally {
    for (const bitmap of bitmaps) bitmap.close();
  }
}

async function isExact(source: ImageData | ImageBitmap): Promise<boolean> {
  const wrapped = wrapInFrame(source);
  if (wrapped === null) return false;
  const own: (VideoFrame | ImageBitmap)[] = [wrapped.frame];
  const pixels = (picture: ImageData | ImageBitmap): ImageData | ReturnType<typeof readByCanvas> => {
    if (picture instanceof ImageData) return picture;
    own.push(picture);
    return readByCanvas(picture);
  };
  try {
    const { data } = pixels(await unwrap(wrapped));
    const wanted = pixels(
      source instanceof ImageData ? source : await createImageBitmap(source, DECODE_OPTIONS),
    );
    return data.length === wanted.data.length && data.every((value, at) => value === wanted.data[at]);
  } finally {
    for (const each of own) each.close();
  }
}
