// Whether a run is one of tiles.

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
 * Returns the tiles that a picture is run in, null where it is run whole: without a plan, if the run was asked to, and if a
 * frame of a video has the input's size. Throws "invalid-option" where tiles were asked for that the input has no room for.
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
