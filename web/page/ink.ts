// Colours, widths and fading of what is drawn over a picture: legible on any picture, calm on a small figure.

import type { Keypoint } from "../src/manifest.js";
import type { Rectangle } from "./fit.js";

export type Side = Keypoint["side"];

export const sideColors: Record<Side, string> = { left: "#4cc3ff", right: "#ff9a3d", middle: "#ffffff" };
export const halo = "rgb(8 10 14 / 0.6)";

/** The side of a limb is that of its ends, and the middle where they differ. */
export function limbSide(from: Side, to: Side): Side {
  return from === to ? from : "middle";
}

/** 0 where the model does not see the keypoint, 1 where it is sure, smooth between. */
export function visibility(confidence: number): number {
  const t = Math.min(1, Math.max(0, (confidence - 0.2) / 0.45));
  return t * t * (3 - 2 * t);
}

export interface Pen {
  limb: number;
  joint: number;
  halo: number;
}

/** Widths in CSS pixels: the same for every large figure, thinner for one of less than some 250 pixels. */
export function penFor(box: Rectangle): Pen {
  const size = Math.max(box.height, box.width);
  const limb = Math.min(3, Math.max(1.25, size / 85));
  return { limb, joint: limb * 1.15 + 0.35, halo: limb > 2 ? 1.25 : 0.9 };
}
