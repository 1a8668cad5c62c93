// Options that the caller changes right after the call: a run uses them as they were.

import { describe, expect, test } from "vitest";
import type { ImageResult, MaskGenerationResult, Model, RunOptions } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { keepEngine, loadTiny } from "../support/bundle.js";
import { frame } from "../support/frames.js";
import { noise } from "../support/noise.js";
import { inProxies } from "../support/proxies.js";

const backend = "wasm";
keepEngine(backend);

describe("a mask", () => {
  const [width, height] = [80, 56];
  const source = noise(width, height);
  const mask = Uint8Array.from({ length: width * height }, (_, at) => Number(at % width < 40));
  const picture = (): ImageData =>
    new ImageData(
      Uint8ClampedArray.from({ length: mask.length * 4 }, (_, at) => 255 * (mask[at >> 2] ?? 0)),
      width,
      height,
    );
  const load = (): Promise<Model> => loadTiny({ backend }, "filling-whole.json");
  const pixelsOf = async (run: Promise<unknown>): Promise<Uint8ClampedArray> =>
    (await readPixels(((await run) as ImageResult).picture)).data;

  test.each([["an array", () => mask.slice()] as const, ["an ImageData", picture] as const])(
    "in %s that is cleared",
    async (_, make) => {
      const model = await load();
      const wanted = await pixelsOf(model.run(source, { mask }));
      const given = make();
      const run = pixelsOf(model.run(source, { mask: given }));
      (given instanceof ImageData ? given.data : given).fill(0);
      expect(await run).toEqual(wanted);
    },
  );

  test("in a bitmap that is closed", async () => {
    const model = await load();
    const wanted = await pixelsOf(model.run(source, { mask }));
    const given = await createImageBitmap(picture());
    const run = pixelsOf(model.run(source, { mask: given }));
    given.close();
    expect(await run).toEqual(wanted);
  });

  test("in an array whose memory was moved before: it has no pixels", async () => {
    const given = mask.slice();
    structuredClone(given, { transfer: [given.buffer] });
    const run = (await load()).run(source, { mask: given });
    await expect(run).rejects.toMatchObject({ code: "invalid-option" });
  });
});

describe("a prompt", () => {
  const masksOf = async (run: Promise<unknown>): Promise<unknown> => {
    const { masks, logits } = (await run) as MaskGenerationResult;
    return { masks, logits };
  };

  test.each(["scene.run()", "model.run()"])("of %s whose points are moved", async (call) => {
    const model = await loadTiny({ backend }, "mask-generation.json");
    const scene = await model.look(frame(0));
    const ask = (options: RunOptions): Promise<unknown> =>
      masksOf(call === "model.run()" ? model.run(frame(0), options) : scene.run(options));
    const point = { x: 4, y: 10 };
    const wanted = await ask({ points: [{ ...point }] });
    const run = ask({ points: [point] });
    point.x = 15;
    expect(await run).toEqual(wanted);
    expect(await ask({ points: [point] })).not.toEqual(wanted);
    expect(await ask(inProxies({ points: [{ x: 4, y: 10 }] }))).toEqual(wanted);
  });
});
