// A picture on its way to the GPU: decoded where it is a file, and copied into a texture.

import { isVideoFrame } from "../canvas-pixels.js";
import { decodeBlob, drawVideoFrame, type Picture } from "../pixels.js";

/** What a texture can be filled with. */
export type TextureSource = ImageBitmap | ImageData;

/** Returns the picture as a frame. One that is not the picture itself is the caller's to close. */
export async function textureSource(picture: Picture): Promise<TextureSource> {
  if (picture instanceof Blob) return decodeBlob(picture);
  return isVideoFrame(picture) ? drawVideoFrame(picture) : picture;
}

/** Copies the frame, its colours as they are and not multiplied by alpha. */
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
