import { expect, test } from "vitest";
import { type Scene, SceneStore } from "../../src/stages/scene-store.js";
import { earlierResults } from "../../src/worker/stage-run.js";

const ref = { modelId: 0, scene: 0 };

/** A scene after its stages, which run in the order given. */
function afterStages(stages: readonly string[]): Scene {
  const scenes = new SceneStore();
  scenes.keep(ref, { view: { results: new Map() }, tensors: {} } as unknown as Scene);
  for (const name of stages) scenes.add(ref, name, {}, { kind: name } as never);
  return scenes.find(ref);
}

test("a stage that runs again sees the results of the stages before it, whatever their names are", () => {
  const { results } = afterStages(["faces", "2", "3"]).view;
  const before = (stage: string): string[] => [...earlierResults(results, stage).keys()];
  expect(before("faces")).toEqual([]);
  expect(before("2")).toEqual(["faces"]);
  expect(before("3")).toEqual(["faces", "2"]);
  expect(before("4")).toEqual(["faces", "2", "3"]);
});
