// The types that a picture may be given as, and its size.

/** A picture. The runtime does not close or detach it. */
export type ImageSource =
  | Blob
  | ImageBitmap
  | ImageData
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | VideoFrame;

/** The input of a run: a picture or, for a model that takes a stack, an array with all its pictures. */
export type RunSource = ImageSource | readonly ImageSource[];

/** Width and height of a picture, in pixels. */
export type PictureSize = readonly [width: number, height: number];

/** The size of a picture; a number means a square. */
export type SizeOption = number | PictureSize;
