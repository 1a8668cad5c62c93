// The events of a model: its getters change only together with an event.

import { describe, expect, test, vi } from "vitest";
import { BackendChoice } from "../../src/choice/backend-choice.js";
import type { Model, Warning } from "../../src/index.js";
import { ModelStage } from "../../src/runs/model-stage.js";
import { hasWebgpu, loadTiny, picture, withWorker } from "../support/bundle.js";
import { loseAt, losing } from "../support/device-loss.js";
import { refuse } from "../support/refusing.js";

/** Returns the model's events from here on, in order. */
function heard(model: Model): string[] {
  const events: string[] = [];
  model.addEventListener("warning", ({ detail }) => events.push(`warning ${detail.code}`));
  model.addEventListener("change", () => events.push(`change ${model.backend}`));
  return events;
}

describe.runIf(hasWebgpu)("a model on WebGPU fires an event", () => {
  test("each time its GPU was lost and its engine restarted", async () => {
    await losing({}, async () => {
      const model = await loadTiny({ backend: "webgpu" }, "conv.json");
      const events = heard(model);
      const image = await picture("upright.png");
      await model.run(image);
      expect(events).toEqual([]);
      await loseAt(0);
      await model.run(image);
      expect(events).toEqual(["warning device-lost", "change webgpu"]);
      expect(model.warnings).toHaveLength(1);
      await loseAt(0);
      await model.run(image);
      expect(events).toEqual(["warning device-lost", "change webgpu", "change webgpu"]);
    });
  });

  test("when it moves to WASM, with the warning that it lists", async () => {
    await withWorker("worker-refusing.js", async () => {
      const model = await loadTiny({}, "conv.json");
      const events = heard(model);
      const said: Warning[] = [];
      const hear = ({ detail }: CustomEvent<Warning>): void => void said.push(detail);
      model.addEventListener("warning", hear);
      await refuse();
      await model.run(await picture("upright.png"));
      expect(events).toEqual(["warning gpu-error", "change wasm"]);
      expect(said).toEqual(model.warnings);
      model.removeEventListener("warning", hear);
    });
  });
});

test.runIf(hasWebgpu)("a run that warns fires one warning event", async () => {
  const model = await loadTiny({ backend: "webgpu" });
  const events = heard(model);
  const image = await picture("upright.png");
  for (let runs = 0; runs < 2; runs++)
    expect(await model.run(image, { confidence: 0 })).toMatchObject({ warnings: [{ code: "ran-fallback" }] });
  expect(events).toEqual(["warning ran-fallback"]);
});

test("choosing a backend fires a change event, as does a stage's warning", () => {
  const session = { listener: null };
  const choice = new BackendChoice("nothing to compare");
  const stage = new ModelStage(
    { inputs: [] } as never,
    { first: session, variants: [] } as never,
    choice,
    {} as never,
  );
  const listener = { onChange: vi.fn(), onWarning: vi.fn() };
  stage.listen(listener);
  choice.stay("a later stage takes its outputs");
  expect(listener.onChange).toHaveBeenCalledTimes(1);
  expect(session.listener).toBe(listener);
});
