import { describe, expect, inject, test } from "vitest";
import { closeResults } from "../../src/api/close-results.js";
import {
  backends,
  bundle,
  hasWebgpu,
  keepEngine,
  loadTiny,
  picture,
  runtime,
  withWorker,
} from "../support/bundle.js";
import { type MemoryUse, memoryUse } from "../support/measured.js";
import { expectFlat } from "../support/soak.js";
import { TINY_TASKS } from "../support/tiny-tasks.js";

/** 30 runs and 3 cycles; with `make soak` 1,000 and 100. */
const cycles = inject("times");
const runs = cycles * 10;

describe.runIf(hasWebgpu).each(backends)("what a worker holds, on %s,", (backend) => {
  keepEngine(backend, "worker-measured.js");

  test.each(Object.entries(TINY_TASKS))(
    "does not grow with the runs of %s",
    { tags: ["soak"] },
    async (task, [manifest, options]) => {
      const model = await loadTiny({ backend }, manifest);
      const image = await picture("upright.png");
      const narrow = new ImageData(9, 31);
      const run = async (number: number): Promise<void> => {
        const result = await model.run(number % 2 ? image : narrow, options);
        closeResults(result);
        expect(result.backend).toBe(backend);
      };
      for (let number = 0; number < 10; number++) await run(number);
      const before = await memoryUse();
      const soak = { what: `runs, ${task}, ${backend}`, times: runs, each: 500, ended: "answered" };
      await expectFlat(soak, run, memoryUse);
      expect(before.bytes).toBeGreaterThan(1_000_000);
      expect(before.buffers > 0).toBe(backend === "webgpu");
      expect(before.textures > 0).toBe(backend === "webgpu");
      if (task === "tensor") expect(model.info().graphCapture.used).toBe(backend === "webgpu");
      await model.dispose();
    },
  );
});

describe.runIf(hasWebgpu)("the memory of a worker", () => {
  test("does not grow with the models that are loaded and disposed while one stays loaded", {
    tags: ["soak"],
  }, async () => {
    await withWorker("worker-measured.js", async () => {
      const stays = await loadTiny({ backend: "webgpu" }, "golden.json");
      const image = await picture("upright.png");
      const visit = async (): Promise<MemoryUse> => {
        // Not loadTiny, which keeps every model and its manifest until the test ends.
        const comes = await runtime.load(bundle("golden.json"), { backend: "webgpu", cache: false });
        await comes.run(image);
        await comes.dispose();
        await stays.run(image);
        return memoryUse();
      };
      for (let turn = 0; turn < 2; turn++) await visit();
      const before = await visit();
      const soak = { what: "models that come and go", times: cycles, each: 1500, ended: "disposed of" };
      await expectFlat(
        soak,
        async () => {
          expect(await visit()).toEqual(before);
        },
        memoryUse,
      );
    });
  });
});
