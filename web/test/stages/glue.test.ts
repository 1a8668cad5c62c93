import { expect, test, vi } from "vitest";
import { glueFeeds } from "../../src/stages/glue.js";
import { type Scene, SceneStore } from "../../src/stages/scene-store.js";

test("glue that never ends fails", async () => {
  vi.useFakeTimers();
  try {
    const scenes = new SceneStore();
    const size = { width: 4, height: 3 };
    const view = {
      picture: new ImageData(4, 3),
      geometry: { source: size },
      input: size,
      results: new Map(),
    };
    const ref = { modelId: 0, scene: 0 };
    scenes.keep(ref, { view, tensors: {}, size: [4, 3] } as unknown as Scene);
    const glue = { file: "glue/slow.js", reads: [], make: () => new Promise<never>(() => {}) };
    const inputs = [{ kind: "tensor" as const, name: "point", dtype: "float32" as const, shape: [1, 2] }];
    const failed = vi.fn();
    glueFeeds(glue, { inputs }, scenes, ref, []).catch(failed);
    await vi.advanceTimersByTimeAsync(120_000);
    expect(failed).toHaveBeenCalledWith(
      expect.objectContaining({
        code: "glue-failed",
        message: "glue/slow.js: it did not answer within 60 s",
      }),
    );
  } finally {
    vi.useRealTimers();
  }
});
