// VideoFrames of every kind that a page can make.

export type Made = Partial<VideoFrameBufferInit> & { rotation?: number; flip?: boolean; alpha?: boolean };

const P3: VideoColorSpaceInit = {
  primaries: "smpte432" as VideoColorPrimaries,
  transfer: "iec61966-2-1",
  matrix: "rgb",
  fullRange: true,
};

/** RGB images by their special property. */
export const RGB: [name: string, made: Made][] = [
  ["opaque", {}],
  ["with alpha", { alpha: true }],
  ["with alpha, blue first", { format: "BGRA", alpha: true }],
  ["with alpha, of odd sides", { alpha: true, codedWidth: 61, codedHeight: 47 }],
  ["one pixel", { codedWidth: 1, codedHeight: 1 }],
  ["large", { codedWidth: 640, codedHeight: 427 }],
  ["a part of it", { visibleRect: { x: 7, y: 5, width: 31, height: 23 } }],
  ["turned by 90 degrees", { rotation: 90 }],
  ["turned by 180 degrees", { rotation: 180 }],
  ["turned by 270 degrees", { rotation: 270 }],
  ["mirrored", { flip: true }],
  ["of more colours than sRGB", { colorSpace: P3 }],
];

/** Every value once. RGBA if no format is given. */
export function videoFrame({ alpha = false, ...made }: Made): VideoFrame {
  const { codedWidth = 64, codedHeight = 48, format = "RGBA" } = made;
  const opaque = !alpha && (format === "RGBA" || format === "BGRA");
  const data = new Uint8Array(codedWidth * codedHeight * 4);
  for (let at = 0, seed = 7; at < data.length; at++) {
    seed = (seed * 48271) % 2147483647;
    data[at] = opaque && at % 4 === 3 ? 255 : seed % 256;
  }
  return new VideoFrame(data, { ...made, format, codedWidth, codedHeight, timestamp: 0 });
}
