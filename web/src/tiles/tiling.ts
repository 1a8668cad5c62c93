// Decides whether a run uses tiles.

import { WebbuildError } from "../api/errors.js";
import type { RunOptions } from "../api/types.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch } from "../manifest/variants.js";
import { isVideoFrame, sizeOf } from "../preprocess/canvas-pixels.js";
import { runInput } from "../preprocess/image-input.js";
import { planeSize } from "../preprocess/letterbox.js";
import type { PackedPicture } from "../preprocess/pixels.js";
import { taskOf } from "../tasks/registry.js";
import { fitsHalo } from "./plan.js";
import type { Tiling } from "./run-tiles.js";

/**
 * Returns the tiling of a picture. Null, to run it whole: without a plan, with `tiles: false`, and for a
 * video frame of the input's size. Throws "invalid-option" if tiles are requested and the input is too small
 * for the halo.
 */
export function tilingOf(
  manifest: Manifest,
  pictures: readonly PackedPicture[],
  { tiles }: Pick<RunOptions, "tiles">,
): Tiling | null {
  const planned = taskOf(manifest).tiles?.plan(manifest.task) ?? null;
  const [picture] = pictures;
  if (planned === null || tiles === false || picture === undefined || pictures.length > 1) return null;
  if (pictureBatch(manifest) > 1) return null;
  const input = planeSize(runInput(manifest.inputs).image);
  if (!fitsHalo(input, planned.plan)) {
    if (tiles !== "auto") return null;
    const { halo } = planned.plan;
    const what = `tiles: an input of ${input.width} x ${input.height} has no room for a halo of ${halo} pixels`;
    throw new WebbuildError("invalid-option", what, "leave tiles out, or run at a larger size");
  }
  if (isVideoFrame(picture)) {
    const { width, height } = sizeOf(picture);
    if (width === input.width && height === input.height) return null;
  }
  return { ...planned, input };
}
