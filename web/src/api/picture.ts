// What a picture may be given as, and its size.

/** A picture. It stays the caller's: nothing is closed or detached. */
export type ImageSource =
  | Blob
  | ImageBitmap
  | ImageData
  | HTMLImageElement
  | HTMLVideoElement
  | HTMLCanvasElement
  | OffscreenCanvas
  | VideoFrame;

/** What goes into a run: a picture or, for a model that takes a stack, an array of as many as it has. */
export type RunSource = ImageSource | readonly ImageSource[];

/** Width and height of a picture, in pixels. */
export type PictureSize = readonly [width: number, height: number];

/** The size of a picture; a number is a square. */
export type SizeOption = number | PictureSize;
