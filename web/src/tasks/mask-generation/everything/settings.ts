// What scene.everything() may be told. The names that Segment Anything's SamAutomaticMaskGenerator has are in brackets.

import type { PartProgress } from "../../../api/types.js";

/** Options of `scene.everything()`. All may be left out. */
export interface EverythingOptions {
  /** Points along each side of the grid (`points_per_side`), 1 to 256. Default: 32, which asks about 1,024 points. */
  pointsPerSide?: number | undefined;
  /** Masks of this predicted IoU or less are left out (`pred_iou_thresh`); 0 keeps all. Default: 0.88. */
  scoreThreshold?: number | undefined;
  /** Masks of less stability are left out (`stability_score_thresh`). Default: 0.95. */
  stabilityThreshold?: number | undefined;
  /** How far the stability moves the threshold of logits up and down (`stability_score_offset`). Default: 1. */
  stabilityOffset?: number | undefined;
  /** Of two masks whose boxes have a larger IoU, the one of lower score is left out (`box_nms_thresh`). Default: 0.7. */
  overlapThreshold?: number | undefined;
  /**
   * Holes and islands of fewer pixels are filled and removed (`min_mask_region_area`). Default: 0, which leaves masks as they
   * are.
   */
  minArea?: number | undefined;
  /** Ends the run between two points. */
  signal?: AbortSignal | undefined;
  /** Called when points are done. */
  onProgress?: ((progress: PartProgress) => void) | undefined;
}

/** The settings, without what concerns the page alone. */
export type EverythingSettings = {
  [Name in Exclude<keyof EverythingOptions, "signal" | "onProgress">]-?: number;
};

const DEFAULTS: EverythingSettings = {
  pointsPerSide: 32,
  scoreThreshold: 0.88,
  stabilityThreshold: 0.95,
  stabilityOffset: 1,
  overlapThreshold: 0.7,
  minArea: 0,
};

/** Fills in what was left out. @internal */
export function everythingSettings(options: EverythingOptions): EverythingSettings {
  const given = Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}
