// Saves prompted objects as files: the cutout of one, or COCO JSON of all.

import { type MaskGenerationResult, type MaskRuns, maskPixels, toCoco, toPng } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import type { AnyMask } from "../input/answered-objects.js";
import { download } from "../util/download.js";
import { maskRuns } from "./mask-runs.js";

/** `number` counts the objects from 1. */
export async function saveCutout(
  result: MaskGenerationResult,
  mask: AnyMask,
  { picture, blob }: StagePicture,
  number: number,
): Promise<void> {
  // Decoded off the page's thread; an image element would be decoded while it is drawn.
  const decoded = blob && (await createImageBitmap(blob));
  const pixels = "stability" in mask ? { ...mask, mask: maskPixels(mask.mask) } : mask;
  download(await toPng({ ...result, masks: [pixels] }, 0, decoded ?? picture), `object-${number}.png`);
  decoded?.close();
}

/** Objects with the same name are one category. */
export async function saveCoco(
  result: MaskGenerationResult,
  masks: readonly AnyMask[],
  names: readonly string[],
  fileName: string,
): Promise<void> {
  const labels = [...new Set(names)];
  const runs: (Pick<AnyMask, "score" | "box"> & { mask: MaskRuns })[] = [];
  for (const { mask, score, box } of masks)
    runs.push({ score, box, mask: mask instanceof Uint8Array ? await maskRuns(mask, box, result) : mask });
  const coco = toCoco({ ...result, masks: runs }, { labels, names, fileName });
  download(new Blob([JSON.stringify(coco, null, 2)], { type: "application/json" }), "objects.json");
}
