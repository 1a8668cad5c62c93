// The policy for Safari, tested in a Chromium that imitates it: its vendor, and no JSPI. The engine is the asyncify build.

import { describe, expect, test } from "vitest";
import { threadCount } from "../../src/engine/engine.js";
import { wasmBytes, watchMemory } from "../../src/engine/wasm-memory.js";
import {
  EngineWear,
  isUntrustedWebkit,
  MAX_GROWTH,
  MAX_RUNS,
  MEASURE_EVERY,
  wasmFirstReason,
} from "../../src/engine/webkit-policy.js";
import { hasWebgpu, loadTiny, picture, withWorkers } from "../support/bundle.js";
import { answerOf, frame, runFrames } from "../support/frames.js";
import { expectAnswers } from "../support/scenes.js";

/** Makes the page look like Safari while `work` runs. */
async function asSafari<T>(work: () => Promise<T>): Promise<T> {
  const jspi = Object.getOwnPropertyDescriptor(WebAssembly, "Suspending");
  Object.defineProperty(navigator, "vendor", { value: "Apple Computer, Inc.", configurable: true });
  Reflect.deleteProperty(WebAssembly, "Suspending");
  try {
    return await work();
  } finally {
    Reflect.deleteProperty(navigator, "vendor");
    if (jspi !== undefined) Object.defineProperty(WebAssembly, "Suspending", jspi);
  }
}

const light = { target: "wasm", nodes: 100, macs: 1e9 } as const;
const heavy = { target: "wasm", nodes: 100, macs: 1e12 } as const;

describe("the policy for Safari", () => {
  test("applies by vendor and missing JSPI, in a browser with WebGPU", async () => {
    expect(isUntrustedWebkit()).toBe(false);
    expect(await asSafari(async () => isUntrustedWebkit())).toBe("gpu" in navigator);
  });

  test.runIf(hasWebgpu)(
    "depends on the speed of WASM: a model too heavy for it stays on WebGPU",
    async () => {
      expect(wasmFirstReason(light, threadCount())).toBeNull();
      await asSafari(async () => {
        expect(wasmFirstReason(light, threadCount())).toMatch(/WASM is fast enough/);
        expect(wasmFirstReason(heavy, threadCount())).toBeNull();
      });
    },
  );
});

describe("the wear of an engine", () => {
  test("counts its runs", async () => {
    const wear = new EngineWear();
    for (let run = 1; run < MAX_RUNS; run++) expect(await wear.ran(async () => 1e6)).toBeNull();
    expect(await wear.ran(async () => 1e6)).toMatch(/has run 300 times/);
  });

  test("counts its memory, measured at first and now and then", async () => {
    const wear = new EngineWear();
    let looks = 0;
    const memory = async (): Promise<number> => 5e8 + looks++ * (MAX_GROWTH / 2 + 1);
    for (let run = 1; run < 3 * MEASURE_EVERY; run++) expect(await wear.ran(memory)).toBeNull();
    expect(await wear.ran(memory)).toMatch(/memory has grown by 256 MiB/);
    expect(looks).toBe(3);
  });

  test("counts the memory that a module exports and imports", async () => {
    const { instantiate } = WebAssembly;
    try {
      watchMemory();
      // (module (memory (export "m") 2)) and (module (import "e" "m" (memory 1)))
      const own = [0, 97, 115, 109, 1, 0, 0, 0, 5, 3, 1, 0, 2, 7, 5, 1, 1, 109, 2, 0];
      const given = [0, 97, 115, 109, 1, 0, 0, 0, 2, 8, 1, 1, 101, 1, 109, 2, 0, 1];
      await WebAssembly.instantiate(new Uint8Array(own));
      expect(wasmBytes()).toBe(2 * 65536);
      const memory = new WebAssembly.Memory({ initial: 3 });
      const module = await WebAssembly.compile(new Uint8Array(given));
      await WebAssembly.instantiate(module, { e: { m: memory } });
      expect(wasmBytes()).toBe(5 * 65536);
      memory.grow(4);
      expect(wasmBytes()).toBe(9 * 65536);
    } finally {
      WebAssembly.instantiate = instantiate;
    }
  });
});

describe.runIf(hasWebgpu)("a model in Safari", () => {
  test("runs on WASM if that is fast enough, says why, and is not compared", async () => {
    await asSafari(async () => {
      const model = await loadTiny({ cache: true }, "conv.json");
      expect([model.backend, model.warnings]).toEqual(["wasm", []]);
      expect(model.reason).toMatch(/asyncify build, which fills the memory/);
      expect(model.info().engine.build).toBe("wasm");
      expect(model.info().choice.reason).toMatch(/two engines at once/);
    });
  });

  test("runs on WebGPU if requested; the engine is restarted in time, without visible effect", {
    timeout: 180_000,
  }, async () => {
    await asSafari(async () => {
      await withWorkers(["worker.js"], async (started) => {
        const model = await loadTiny({ backend: "webgpu" }, "conv.json");
        expect(model.info().engine.build).toBe("asyncify");
        const image = await picture("upright.png");
        const answers = new Set<string>();
        for (let run = 0; run < 2 * MAX_RUNS + 5; run++) {
          const { timings: _, ...result } = await model.run(image);
          answers.add(JSON.stringify(result));
        }
        expect([started(), answers.size, model.warnings]).toEqual([3, 1, []]);
        expect(model.backend).toBe("webgpu");
      });
    });
  });

  test("with two stages keeps its scenes", { timeout: 180_000 }, async () => {
    await asSafari(async () => {
      await withWorkers(["worker.js"], async (started) => {
        const model = await loadTiny({ backend: "webgpu" }, "stages.json");
        const scene = await model.look(frame(0));
        for (let run = 0; run < MAX_RUNS; run++) await expectAnswers(scene, 0, [run % 3]);
        await expect.poll(started, { timeout: 10_000 }).toBe(2);
        await expectAnswers(scene, 0, [1]);
        await expectAnswers(await model.look(frame(1)), 1, [0]);
        expect([model.warnings, started()]).toEqual([[], 2]);
      });
    });
  });

  test("carries its state into the new engine", { timeout: 180_000 }, async () => {
    const straight = await (async () => {
      const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
      return runFrames(model, 0, MAX_RUNS + 5);
    })();
    await asSafari(async () => {
      await withWorkers(["worker.js"], async (started) => {
        const model = await loadTiny({ backend: "webgpu" }, "recurrent.json");
        const runs = [];
        for (let step = 0; step < MAX_RUNS + 5; step++) runs.push(answerOf(await model.run(frame(step))));
        expect(started()).toBe(2);
        expect(model.state?.steps).toBe(MAX_RUNS + 5);
        expect(runs).toEqual(straight);
      });
    });
  });
});
