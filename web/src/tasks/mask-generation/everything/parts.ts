// Finds all objects: runs clicks at the points of a grid in batches, keeps masks that are good enough, and
// removes overlaps.

import type { Point } from "../../../api/geometry.js";
import type { Warning } from "../../../api/types.js";
import type { MaskGenerationTask } from "../../../manifest/manifest.js";
import type { Geometry } from "../../../preprocess/letterbox.js";
import { readFloats } from "../../read-output.js";
import type { FieldsOf, PartRules } from "../../task-module.js";
import { chooseMasks } from "../decode-masks.js";
import { severalPromptFeeds } from "../prompt.js";
import { layoutOf } from "../prompt-length.js";
import { MaskFilter } from "./filter-mask.js";
import { clickOn, gridPoint } from "./grid.js";
import type { EverythingResult, FoundMask } from "./result.js";
import type { EverythingSettings } from "./settings.js";
import { boxOf, withoutSmallRegions } from "./small-regions.js";
import { suppress } from "./suppress.js";

export type EverythingFields = FieldsOf<EverythingResult>;

/** The settings of a run over the grid. */
export interface GridContext {
  everything: EverythingSettings;
}

/** The masks found at a point, and the highest score there, even of a mask that is not good enough. */
interface PointMasks {
  masks: FoundMask[];
  best: number;
}

export const everythingParts: PartRules<MaskGenerationTask, EverythingFields, GridContext, PointMasks> = {
  lines: (_manifest, _scene, { everything }) => Array(everything.pointsPerSide ** 2).fill(null),
  async feeds(manifest, { geometry }, parts, { everything }) {
    const prompts = pointsOf(parts, everything, geometry).map(clickOn);
    return severalPromptFeeds(manifest, prompts, geometry);
  },
  decode(manifest, outputs, { geometry }, parts, { everything }) {
    const { task } = manifest;
    const { dims, grid } = layoutOf(manifest);
    const scores = readFloats(outputs, task.scores, dims.slice(0, -2));
    const logits = readFloats(outputs, task.masks, dims);
    const kindCount = dims.at(-3) ?? 1;
    const cells = grid.width * grid.height;
    const filter = new MaskFilter(everything, task, geometry, grid);
    return pointsOf(parts, everything, geometry).map((point, at) => {
      const own = scores.subarray(at * kindCount, (at + 1) * kindCount);
      const planes = logits.subarray(at * kindCount * cells);
      const { masks: kinds, best } = chooseMasks(task, own, clickOn(point));
      const masks = kinds.flatMap((kind) => {
        const score = own[kind] ?? Number.NaN;
        if (!isGoodEnough(score, everything.scoreThreshold)) return [];
        const found = filter.find(planes.subarray(kind * cells, (kind + 1) * cells));
        return found === null ? [] : [{ ...found, score, point }];
      });
      return { masks, best: own[kinds[best] ?? 0] ?? Number.NaN };
    });
  },
  join(_manifest, points, { geometry }, { everything }) {
    const found = points.flatMap(({ masks }) => masks);
    const bestScore = points.reduce((most, { best }) => Math.max(best, most), Number.NEGATIVE_INFINITY);
    return { kind: "everything", ...geometry.source, masks: bestOf(found, everything), bestScore };
  },
};

function pointsOf(
  parts: readonly number[],
  { pointsPerSide }: EverythingSettings,
  { source }: Geometry,
): Point[] {
  return parts.map((part) => gridPoint(part, pointsPerSide, source));
}

/** Compares in float32, as Segment Anything's generators do. A threshold of 0 keeps all except NaN. */
function isGoodEnough(score: number, threshold: number): boolean {
  return threshold > 0 ? score > Math.fround(threshold) : !Number.isNaN(score);
}

/** Segment Anything's `crop_nms_thresh`: the least IoU threshold of the second NMS, after `minArea`. */
const LEAST_OVERLAP = 0.7;

/**
 * Keeps the best of overlapping masks. With `minArea`, suppresses the cleaned masks again; masks without a
 * change go first.
 */
function bestOf(found: readonly FoundMask[], { overlapThreshold, minArea }: EverythingSettings): FoundMask[] {
  const kept = suppress(found, ({ score }) => score, overlapThreshold);
  if (minArea === 0) return kept;
  const cleaned = kept.map((each) => {
    const mask = withoutSmallRegions(each.mask, minArea);
    return mask === each.mask ? each : { ...each, mask, box: boxOf(mask) };
  });
  const same = new Set<FoundMask>(kept);
  const left = suppress(cleaned, (each) => Number(same.has(each)), Math.max(overlapThreshold, LEAST_OVERLAP));
  return left.sort((one, other) => other.score - one.score);
}

/** Returns the warning that there is no mask. */
export function nothingFound({ masks, bestScore }: EverythingFields): Warning[] {
  if (masks.length > 0) return [];
  const message = `no mask is good enough: the best score is ${bestScore.toFixed(2)}`;
  return [
    { code: "no-masks", message, fix: "lower scoreThreshold or stabilityThreshold, or raise pointsPerSide" },
  ];
}
