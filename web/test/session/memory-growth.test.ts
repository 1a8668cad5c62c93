import { describe, expect, inject, test } from "vitest";
import { backends, bundle, hasWebgpu, loadTiny, picture, runtime, withWorker } from "../support/bundle.js";
import { type Held, held } from "../support/measured.js";

/** 50 runs and 5 cycles, three times; `make soak` makes it 1,000 and 100. */
const cycles = inject("times");
const runs = cycles * 10;

/**
 * Bytes of JavaScript, this page's and its workers', after a garbage collection: the largest of five readings. Up to one
 * reading in four is 2.1 MB too small, even when nothing runs between two of them.
 */
async function heap(): Promise<number> {
  const page = performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> };
  let largest = 0;
  for (let reading = 0; reading < 5; reading++)
    largest = Math.max(largest, (await page.measureUserAgentSpecificMemory()).bytes);
  return largest;
}

/** The page is the test runner's too, whose heap comes and goes by more than a few turns leave: many turns show more. */
const SLACK = 150_000;
const EACH = 500;
const WINDOWS = 3;

/** Takes turns in three windows, and fails where the heap grows with every turn: in most of them, that is. */
async function expectFlat(
  what: string,
  turns: number,
  turn: (number: number) => Promise<void>,
): Promise<void> {
  const sizes = [await heap()];
  for (let window = 0; window < WINDOWS; window++) {
    for (let number = 0; number < turns; number++) await turn(number);
    sizes.push(await heap());
  }
  const grown = sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
  const told = grown.map((bytes) => Math.round(bytes / 1000)).join(", ");
  console.info(`${what}: ${turns} turns, three times, leave ${told} kB more JavaScript than ${sizes[0]} B`);
  const median = grown.sort((a, b) => a - b)[1] ?? Number.NaN;
  expect(sizes[0]).toBeGreaterThan(100_000);
  expect(median).toBeLessThan(SLACK + turns * EACH);
}

describe.runIf(hasWebgpu)("what a worker holds", () => {
  test.each([
    ...backends.map((backend) => [backend, "golden.json"] as const),
    ["webgpu", "regions.json"] as const,
  ])(
    "does not grow with the runs on %s, %s",
    { timeout: 60_000 + WINDOWS * runs * 2_000 },
    async (backend, manifest) => {
      await withWorker("worker-measured.js", async () => {
        const model = await loadTiny({ backend }, manifest);
        const image = await picture("upright.png");
        const narrow = new ImageData(9, 31);
        for (let run = 0; run < 10; run++) await model.run(run % 2 ? image : narrow);
        const before = await held();
        await expectFlat(`runs on ${backend}`, runs, async (run) => {
          await model.run(run % 2 ? image : narrow);
        });
        expect(await held()).toEqual(before);
        expect(model.info().graphCapture.used).toBe(backend === "webgpu" && manifest === "golden.json");
        expect(before.bytes).toBeGreaterThan(1_000_000);
        if (backend === "webgpu") expect(before.buffers).toBeGreaterThan(0);
        expect(before.textures).toBe(backend === "webgpu" ? 1 : 0);
        await model.dispose();
      });
    },
  );

  test("does not grow with the models that come and go beside one that stays", {
    timeout: 60_000 + WINDOWS * cycles * 10_000,
  }, async () => {
    await withWorker("worker-measured.js", async () => {
      const stays = await loadTiny({ backend: "webgpu" }, "golden.json");
      const image = await picture("upright.png");
      const visit = async (): Promise<Held> => {
        // Not loadTiny, which holds every model, its manifest with it, until the test ends.
        const comes = await runtime.load(bundle("golden.json"), { backend: "webgpu", cache: false });
        await comes.run(image);
        await comes.dispose();
        await stays.run(image);
        return held();
      };
      for (let turn = 0; turn < 2; turn++) await visit();
      const before = await visit();
      await expectFlat("models that come and go", cycles, async () => {
        expect(await visit()).toEqual(before);
      });
    });
  });
});
