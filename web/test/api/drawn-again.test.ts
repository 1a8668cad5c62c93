// A picture that is drawn again right after the call is run as it was at the call.

import { expect, test } from "vitest";
import type { MatteResult } from "../../src/index.js";
import { backends, loadTiny } from "../support/bundle.js";

function canvas(color: string): OffscreenCanvas {
  const made = new OffscreenCanvas(40, 24);
  paint(made, color);
  return made;
}

function paint(made: OffscreenCanvas, color: string): void {
  const context = made.getContext("2d");
  if (context === null) throw new Error("no canvas");
  context.fillStyle = color;
  context.fillRect(0, 0, 20, 24);
}

test("also the background", async () => {
  const model = await loadTiny({ backend: "wasm" }, "matting-whole.json");
  const run = async (background: OffscreenCanvas, change: () => void): Promise<Uint8ClampedArray> => {
    const running = model.run(canvas("red"), { background });
    change();
    const { cutout } = (await running) as MatteResult;
    const drawn = new OffscreenCanvas(cutout.width, cutout.height);
    const context = drawn.getContext("2d");
    context?.drawImage(cutout, 0, 0);
    cutout.close();
    return context?.getImageData(0, 0, drawn.width, drawn.height).data ?? new Uint8ClampedArray();
  };
  const wanted = await run(canvas("blue"), () => {});
  const background = canvas("blue");
  expect(await run(background, () => paint(background, "white"))).toEqual(wanted);
  expect(await run(canvas("white"), () => {})).not.toEqual(wanted);
});

test.each(backends)("also a picture with a background on %s", async (backend) => {
  const model = await loadTiny({ backend }, "matting-whole.json");
  const background = await canvas("blue").convertToBlob();
  const run = async (source: OffscreenCanvas, change: () => void): Promise<Uint8Array> => {
    const running = model.run(source, { background });
    change();
    const { alpha, cutout } = (await running) as MatteResult;
    cutout.close();
    return alpha;
  };
  const wanted = await run(canvas("red"), () => {});
  const source = canvas("red");
  expect(await run(source, () => paint(source, "white"))).toEqual(wanted);
  expect(await run(canvas("white"), () => {})).not.toEqual(wanted);
});
