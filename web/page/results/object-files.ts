// The objects that were pointed at as files: a cut-out of one, COCO's JSON of all.

import { type MaskGenerationResult, type ObjectMask, toCoco, toPng } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import { download } from "../util/download.js";
import { pause } from "../util/slices.js";

/** `number` counts the objects from 1. */
export async function saveCutout(
  result: MaskGenerationResult,
  mask: ObjectMask,
  { picture, blob }: StagePicture,
  number: number,
): Promise<void> {
  // Decoded beside the page; an image element would be decoded while it is drawn.
  const decoded = blob && (await createImageBitmap(blob));
  download(await toPng({ ...result, masks: [mask] }, 0, decoded ?? picture), `object-${number}.png`);
  decoded?.close();
}

/** Objects of one name are one category. */
export async function saveCoco(
  result: MaskGenerationResult,
  names: readonly string[],
  fileName: string,
): Promise<void> {
  const labels = [...new Set(names)];
  const coco = toCoco({ ...result, masks: [] }, { labels, fileName });
  // One object at a time, so that the page never stalls.
  for (const [index, mask] of result.masks.entries()) {
    const named = { labels, names: names.slice(index, index + 1), firstId: index + 1 };
    coco.annotations.push(...toCoco({ ...result, masks: [mask] }, named).annotations);
    await pause();
  }
  download(new Blob([JSON.stringify(coco, null, 2)], { type: "application/json" }), "objects.json");
}
