// A picture on its way to the GPU: decoded where it is a file, and copied into a texture.

import { decodeBlob, isVideoFrame, type Picture, sizeOf } from "../pixels.js";

/** What a texture can be filled with. */
export type Frame = ImageBitmap | ImageData;

/** Returns the picture as a frame. One that is not the picture itself is the caller's to close. */
export async function frameOf(picture: Picture): Promise<Frame> {
  if (picture instanceof Blob) return decodeBlob(picture);
  return isVideoFrame(picture) ? drawn(picture) : picture;
}

/**
 * A VideoFrame as a canvas has it, which is how the CPU reads one. createImageBitmap() leaves out how it is turned, and
 * what its colours mean where they are none of sRGB; copyExternalImageToTexture() throws at it on SwiftShader.
 */
function drawn(frame: VideoFrame): ImageBitmap {
  const { width, height } = sizeOf(frame);
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext("2d");
  if (context === null) throw new Error(`no canvas of ${width} x ${height}`);
  context.drawImage(frame, 0, 0, width, height);
  return canvas.transferToImageBitmap();
}

/** Copies the frame, its colours as they are and not multiplied by alpha. */
export function uploaded(queue: GPUQueue, frame: Frame, texture: GPUTexture): void {
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
