import { describe, expect, inject, test } from "vitest";
import { backends, hasWebgpu, loadTiny, picture, withWorker } from "./bundle.js";

/** 50 runs and 5 cycles; `make soak` makes it 1,000 and 100. */
const cycles = inject("times");
const runs = cycles * 10;

interface Held {
  buffers: number;
  textures: number;
  bytes: number;
}

function held(): Promise<Held> {
  const channel = new BroadcastChannel("measured");
  return new Promise((resolve) => {
    channel.onmessage = ({ data }) => {
      if (typeof data !== "object") return;
      channel.close();
      resolve(data);
    };
    channel.postMessage("measure");
  });
}

/** Bytes of JavaScript, this page's and its workers', behind a collection of garbage. */
async function heap(): Promise<number> {
  const page = performance as unknown as { measureUserAgentSpecificMemory(): Promise<{ bytes: number }> };
  return (await page.measureUserAgentSpecificMemory()).bytes;
}

/** What the test runner and the compiler keep of a few runs is more than a leak of a few runs: many show it. */
const SLACK = 2_000_000;
const EACH = 500;

/** Reports the growth of the heap, and fails where every turn leaves something behind. */
function expectFlat(what: string, before: number, after: number, turns: number): void {
  console.info(
    `${what}: ${turns} leave ${Math.round((after - before) / 1000)} kB more JavaScript than ${before} B`,
  );
  expect(before).toBeGreaterThan(100_000);
  expect(after - before).toBeLessThan(SLACK + turns * EACH);
}

describe.runIf(hasWebgpu)("what a worker holds", () => {
  test.each([
    ...backends.map((backend) => [backend, "conv.json"] as const),
    ["webgpu", "regions.json"] as const,
  ])(
    "does not grow with the runs on %s, %s",
    { timeout: 60_000 + runs * 2_000 },
    async (backend, manifest) => {
      await withWorker("worker-measured.js", async () => {
        const model = await loadTiny({ backend }, manifest);
        const image = await picture("upright.png");
        const narrow = new ImageData(9, 31);
        for (let run = 0; run < 10; run++) await model.run(run % 2 ? image : narrow);
        const before = await held();
        const heapBefore = await heap();
        for (let run = 0; run < runs; run++) await model.run(run % 2 ? image : narrow);
        expect(await held()).toEqual(before);
        expectFlat(`runs on ${backend}`, heapBefore, await heap(), runs);
        expect(before.bytes).toBeGreaterThan(1_000_000);
        if (backend === "webgpu") expect(before.buffers).toBeGreaterThan(0);
        expect(before.textures).toBe(backend === "webgpu" ? 1 : 0);
        await model.dispose();
      });
    },
  );

  test("does not grow with the models that come and go beside one that stays", {
    timeout: 60_000 + cycles * 10_000,
  }, async () => {
    await withWorker("worker-measured.js", async () => {
      const stays = await loadTiny({ backend: "webgpu" }, "conv.json");
      const image = await picture("upright.png");
      const visit = async (): Promise<Held> => {
        const comes = await loadTiny({ backend: "webgpu" }, "conv.json");
        await comes.run(image);
        await comes.dispose();
        await stays.run(image);
        return held();
      };
      for (let turn = 0; turn < 2; turn++) await visit();
      const before = await visit();
      const heapBefore = await heap();
      for (let turn = 0; turn < cycles; turn++) expect(await visit()).toEqual(before);
      expectFlat("models that come and go", heapBefore, await heap(), cycles);
    });
  });
});
