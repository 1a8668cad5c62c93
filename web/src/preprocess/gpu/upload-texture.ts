// Uploads a picture into a texture, after decoding it if it is a file.

import { isVideoFrame } from "../canvas-pixels.js";
import { decodeBlob, drawVideoFrame, type Picture } from "../pixels.js";

/** An image that can be copied into a texture. */
export type TextureSource = ImageBitmap | ImageData;

/** Returns the picture as a texture source. If that is not the picture itself, the caller closes it. */
export async function textureSource(picture: Picture): Promise<TextureSource> {
  if (picture instanceof Blob) return decodeBlob(picture);
  return isVideoFrame(picture) ? drawVideoFrame(picture) : picture;
}

/** Copies the picture without colour conversion, and not premultiplied by alpha. */
export function uploadTexture(queue: GPUQueue, frame: TextureSource, texture: GPUTexture): void {
  const { width, height } = frame;
  if (frame instanceof ImageData) {
    const { buffer, byteOffset, byteLength } = frame.data;
    const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, byteLength);
    queue.writeTexture({ texture }, bytes, { bytesPerRow: width * 4, rowsPerImage: height }, [width, height]);
  } else {
    queue.copyExternalImageToTexture({ source: frame }, { texture, premultipliedAlpha: false }, [
      width,
      height,
    ]);
  }
}
