// A GPU device that is lost in calls other than a single run: of several models, in preprocess(), on tensors.

import { describe, expect, test } from "vitest";
import type { ImageResult, Model, Tensors } from "../../src/index.js";
import { readPixels } from "../../src/preprocess/pixels.js";
import { hasWebgpu, loadTiny } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { frame, sums } from "../support/frames.js";
import { noise } from "../support/noise.js";
import { expectAnswers } from "../support/scenes.js";

const webgpu = { backend: "webgpu" } as const;
const [WIDTH, HEIGHT] = [80, 56];
const MASK = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) => Number(at % WIDTH < 40));

async function outputsOf(run: Promise<unknown>): Promise<unknown> {
  return ((await run) as { outputs: Tensors }).outputs;
}

/** Loses the device at GPU calls of `work` that are spread over all of them, one at a time. */
async function atManyCalls(model: Model, work: () => Promise<unknown>): Promise<void> {
  await work();
  await countCalls();
  await work();
  const calls = await countCalls();
  expect(calls).toBeGreaterThan(1);
  for (let at = 0; at < calls; at += Math.ceil(calls / 8)) {
    await loseAt(at);
    await work();
  }
  expect(model.backend).toBe("webgpu");
}

describe.runIf(hasWebgpu)("a GPU device that is lost", () => {
  test("in runs on two pictures: each is repeated on its own", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "conv.json");
      const right = [await outputsOf(model.run(frame(0))), await outputsOf(model.run(frame(9)))];
      expect(right[0]).not.toEqual(right[1]);
      await loseAt(0);
      const runs = [model.run(frame(0)), model.run(frame(9))];
      expect(await Promise.all(runs.map(outputsOf))).toEqual(right);
    });
  });

  test("in a run of one model, before the look() and the load of others", async () => {
    await losing({}, async (started) => {
      const [one, two] = [await loadTiny(webgpu, "conv.json"), await loadTiny(webgpu, "stages.json")];
      const right = await outputsOf(one.run(frame(0)));
      const pixels = await createImageBitmap(frame(0));
      await loseAt(0);
      const run = one.run(frame(0));
      const [scene, third] = await Promise.all([two.look(pixels), loadTiny(webgpu, "conv.json"), run]);
      expect(await outputsOf(run)).toEqual(right);
      expect(await outputsOf(third.run(frame(0)))).toEqual(right);
      await expectAnswers(scene, 0);
      expect(started()).toBeLessThanOrEqual(3);
    });
  });

  test("at any call of preprocess(): the error says so, and the next call succeeds", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "conv.json");
      const right = await model.preprocess(frame(0));
      await atManyCalls(model, async () => {
        const tensor = await model.preprocess(frame(0)).catch((error: unknown) => {
          expect(error).toMatchObject({ code: "device-lost" });
          return model.preprocess(frame(0));
        });
        expect(tensor).toEqual(right);
      });
    });
  });

  test("at any call of a run that reads its picture back, to empty the hole", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "filling-whole.json");
      const fill = async (): Promise<unknown> => {
        const { picture } = (await model.run(noise(WIDTH, HEIGHT), { mask: MASK })) as ImageResult;
        return (await readPixels(picture)).data;
      };
      const right = await fill();
      await atManyCalls(model, async () => expect(await fill()).toEqual(right));
    });
  });

  test("at any call of a run on tensors whose result is its state", async () => {
    await losing({}, async () => {
      const model = await loadTiny(webgpu, "average.json");
      const { feeds } = sums().next().value;
      const average = async (): Promise<unknown> => {
        await model.reset();
        return (await model.runTensors(feeds)).y?.data;
      };
      const right = await average();
      await atManyCalls(model, async () => expect(await average()).toEqual(right));
    });
  });
});
