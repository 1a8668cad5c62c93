// Points and boxes of a picture.

/** A point, in pixels of the picture. */
export interface Point {
  x: number;
  y: number;
}

/** A box, in pixels of the picture: left, top, right, bottom. */
export interface Box {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}
