// Objects with masks.

import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** Objects with their masks. */
export interface SegmentResult extends RunResult {
  kind: "segment";
  segments: Segment[];
}

/** An object and the pixels that it covers. */
export interface Segment extends Detection {
  mask: Mask;
}

/** A grid over a rectangle of the source picture; each cell is a pixel of the model's input. */
export interface Mask {
  /** The rectangle, in source pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  columns: number;
  rows: number;
  /** Row by row: 1 inside the object, 0 outside. */
  data: Uint8Array<ArrayBuffer>;
}
