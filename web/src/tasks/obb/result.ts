// Objects in rotated boxes.

import type { Point } from "../../api/geometry.js";
import type { RunResult } from "../../api/run-result.js";
import type { Detection } from "../detect/result.js";

/** Objects in rotated boxes. */
export interface ObbResult extends RunResult {
  kind: "obb";
  objects: OrientedObject[];
}

/** An object in a rotated box. Its `box` is the upright one around that, as far as it lies in the picture. */
export interface OrientedObject extends Detection {
  center: Point;
  /** The lengths of the sides. */
  width: number;
  height: number;
  /** Radians from the x axis to the side of the width, towards y: clockwise on a screen. */
  angle: number;
  /** The upper left one at angle 0, then clockwise. They may lie outside of the picture. */
  corners: [Point, Point, Point, Point];
}
