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
  const got = await uncarry(carried);
  carried.carrier.close();
  const wanted =
    source instanceof ImageData ? source : readByCanvas(await createImageBitmap(source, DECODE_OPTIONS));
  const { data } = got instanceof ImageData ? got : readByCanvas(got);
  return data.length === wanted.data.length && data.every((value, at) => value === wanted.data[at]);
}
