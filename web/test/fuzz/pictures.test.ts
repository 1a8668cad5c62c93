// Damaged images.

import { test } from "vitest";
import { decodeBlob } from "../../src/preprocess/pixels.js";
import { damaged, expectTypedEnds } from "../support/fuzz.js";

test("an image is decoded or refused", async () => {
  const canvas = new OffscreenCanvas(24, 16);
  canvas.getContext("2d")?.fillRect(3, 3, 9, 9);
  const files = ["image/png", "image/jpeg", "image/webp"].map((type) => canvas.convertToBlob({ type }));
  const whole = await Promise.all(
    files.map(async (file) => new Uint8Array(await (await file).arrayBuffer())),
  );
  await expectTypedEnds("pictures", [60, 2000], damaged(...whole), async (content) =>
    (await decodeBlob(new Blob([content]))).close(),
  );
});
