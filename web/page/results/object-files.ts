// The objects that were pointed at as files: a cut-out of one, COCO's JSON of all.

import {
  type EverythingResult,
  type MaskGenerationResult,
  maskPixels,
  toCoco,
  toPng,
} from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import type { AnyMask } from "../input/answered-objects.js";
import { download } from "../util/download.js";
import { pause } from "../util/slices.js";

/** `number` counts the objects from 1. */
export async function saveCutout(
  result: MaskGenerationResult,
  mask: AnyMask,
  { picture, blob }: StagePicture,
  number: number,
): Promise<void> {
  // Decoded beside the page; an image element would be decoded while it is drawn.
  const decoded = blob && (await createImageBitmap(blob));
  const pixels = "stability" in mask ? { ...mask, mask: maskPixels(mask.mask) } : mask;
  download(await toPng({ ...result, masks: [pixels] }, 0, decoded ?? picture), `object-${number}.png`);
  decoded?.close();
}

/** Objects of one name are one category. */
export async function saveCoco(
  result: MaskGenerationResult,
  masks: readonly AnyMask[],
  names: readonly string[],
  fileName: string,
): Promise<void> {
  const labels = [...new Set(names)];
  const coco = toCoco({ ...result, masks: [] }, { labels, fileName });
  // One object at a time, so that the page never stalls.
  for (const [index, mask] of masks.entries()) {
    const named = { labels, names: names.slice(index, index + 1), firstId: index + 1 };
    coco.annotations.push(...toCoco(resultOf(result, mask), named).annotations);
    await pause();
  }
  download(new Blob([JSON.stringify(coco, null, 2)], { type: "application/json" }), "objects.json");
}

/** A result of one mask. */
function resultOf(result: MaskGenerationResult, mask: AnyMask): MaskGenerationResult | EverythingResult {
  if (!("stability" in mask)) return { ...result, masks: [mask] };
  return { ...result, kind: "everything", masks: [mask], bestScore: mask.score };
}
