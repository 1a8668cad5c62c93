// The options of scene.everything(). In brackets: the names in Segment Anything's SamAutomaticMaskGenerator.

import type { PartProgress } from "../../../api/types.js";

/** Options of `scene.everything()`. All are optional. */
export interface EverythingOptions {
  /** Points along each side of the grid (`points_per_side`), 1 to 256. Default: 32, for 1,024 points. */
  pointsPerSide?: number | undefined;
  /** Masks with a predicted IoU up to this are left out (`pred_iou_thresh`); 0 keeps all. Default: 0.88. */
  scoreThreshold?: number | undefined;
  /** Masks with a lower stability are left out (`stability_score_thresh`). Default: 0.95. */
  stabilityThreshold?: number | undefined;
  /**
   * The offset of the logit threshold, up and down, for the stability (`stability_score_offset`). Default: 1.
   */
  stabilityOffset?: number | undefined;
  /**
   * Of two masks whose boxes have a larger IoU, the one with the lower score is left out (`box_nms_thresh`).
   * Default: 0.7.
   */
  overlapThreshold?: number | undefined;
  /**
   * Holes with fewer pixels are filled, islands with fewer removed (`min_mask_region_area`). Default: 0, no
   * change.
   */
  minArea?: number | undefined;
  /** Aborts the run between two points. */
  signal?: AbortSignal | undefined;
  /** Called when points are done. */
  onProgress?: ((progress: PartProgress) => void) | undefined;
}

/** The settings for the worker: without the options that only concern the page. */
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

/** Returns the settings, with defaults for missing options. @internal */
export function everythingSettings(options: EverythingOptions): EverythingSettings {
  const given = Object.entries(options).filter(([name, value]) => name in DEFAULTS && value !== undefined);
  return { ...DEFAULTS, ...Object.fromEntries(given) };
}
