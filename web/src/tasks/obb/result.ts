// Objects with rotated boxes.

import type { Point } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** Objects with rotated boxes. */
export interface ObbResult extends RunResult {
  kind: "obb";
  objects: OrientedObject[];
}

/** An object with a rotated box. Its `box` is the upright box around it, clipped to the picture. */
export interface OrientedObject extends Detection {
  center: Point;
  /** The lengths of the sides. */
  width: number;
  height: number;
  /** Radians from the x axis to the side of the width, towards y: clockwise on a screen. */
  angle: number;
  /** The top left corner at angle 0, then clockwise. Corners may be outside of the picture. */
  corners: [Point, Point, Point, Point];
}
