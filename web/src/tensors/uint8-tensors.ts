// Pictures of a golden run, stored as bytes: the level of each colour, as webbuild/manifest/uint8_tensors.py
// writes them.

import type { ImageInput } from "../manifest/manifest.js";
import { channelCount, normalizer } from "../preprocess/channels.js";
import { planeSize } from "../preprocess/letterbox.js";

/** Returns the tensor of the pictures, one after another. */
export function fromUint8(levels: Uint8Array, picture: ImageInput): Float32Array<ArrayBuffer> {
  const { width, height } = planeSize(picture);
  const area = picture.layout === "nchw" ? width * height : 1;
  const normal = Array.from({ length: channelCount(picture) }, (_, channel) => normalizer(picture, channel));
  const normalAt = (at: number) => normal[Math.floor(at / area) % normal.length];
  return Float32Array.from(levels, (level, at) => normalAt(at)?.(level) ?? Number.NaN);
}
