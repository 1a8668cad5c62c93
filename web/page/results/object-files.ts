// The objects that were pointed at as files: a cut-out of one, COCO's JSON of all.

import { type MaskGenerationResult, type ObjectMask, toCoco, toPng } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import { download } from "../util/download.js";

/** `number` counts the objects from 1. */
export async function saveCutout(
  result: MaskGenerationResult,
  mask: ObjectMask,
  { picture }: StagePicture,
  number: number,
): Promise<void> {
  download(await toPng({ ...result, masks: [mask] }, 0, picture), `object-${number}.png`);
}

/** Objects of one name are one category. */
export function saveCoco(result: MaskGenerationResult, names: readonly string[], fileName: string): void {
  const coco = toCoco(result, { names, fileName });
  download(new Blob([JSON.stringify(coco, null, 2)], { type: "application/json" }), "objects.json");
}
