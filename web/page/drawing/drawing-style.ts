// Colours, line widths and fading of drawings: legible on any picture, thin on small figures.

import type { Keypoint } from "../../src/manifest/manifest.js";
import type { AnyDetection, DetectionStyle } from "../results/detections.js";
import type { Rectangle } from "./fit.js";

export type Side = Keypoint["side"];

export const sideColors: Record<Side, string> = { left: "#4cc3ff", right: "#ff9a3d", middle: "#ffffff" };
export const halo = "rgb(8 10 14 / 0.6)";
export const defaultColor = "#ffffff";

/** Distinguishable with any colour vision; dark text on each has a contrast of 5.5:1 or more. */
const palette = ["#71bdfa", "#98c50b", "#faf02a", "#9e6ffa", "#f798a3", "#60ffd6", "#fa35b4", "#ba8019"];

/** Returns the colour of a class, always the same for an index; null if the model has only one class. */
export function classColor(classes: readonly string[], index: number): string | null {
  return classes.length > 1 ? colorAt(index) : null;
}

/** Returns the colour of the class, or of the rank if the task colours by rank and the class has no colour. */
export function detectionColor(
  { classes, colorByRank = false }: DetectionStyle,
  { classIndex }: AnyDetection,
  rank: number,
): string | null {
  return classColor(classes, classIndex) ?? (colorByRank ? colorAt(rank) : null);
}

function colorAt(index: number): string {
  return palette[index % palette.length] ?? defaultColor;
}

/** Returns the side of a limb: its ends' side, or the middle if they differ. */
export function limbSide(from: Side, to: Side): Side {
  return from === to ? from : "middle";
}

/** Returns 0 for an invisible keypoint, 1 for a confident one, smooth between. */
export function visibility(confidence: number): number {
  const t = Math.min(1, Math.max(0, (confidence - 0.2) / 0.45));
  return t * t * (3 - 2 * t);
}

export interface StrokeWidths {
  limb: number;
  joint: number;
  halo: number;
}

/** Returns line widths in CSS pixels: the same for all large figures, thinner below about 250 pixels. */
export function strokeWidths(box: Rectangle): StrokeWidths {
  const size = Math.max(box.height, box.width);
  const limb = Math.min(3, Math.max(1.25, size / 85));
  return { limb, joint: limb * 1.15 + 0.35, halo: limb > 2 ? 1.25 : 0.9 };
}
