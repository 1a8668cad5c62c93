import { expect, test } from "vitest";
import type { OrtWeb } from "../../src/engine/engine.js";
import { Session } from "../../src/session/session.js";
import { GRAPH } from "../support/graphs.js";

test.each([
  [true, "disabled"],
  [false, "all"],
])("a graph that is optimized (%s) is loaded with the engine's optimizer %s", async (optimized, level) => {
  const seen: unknown[] = [];
  const create = async (_: unknown, options: { graphOptimizationLevel: string }): Promise<unknown> => {
    seen.push(options.graphOptimizationLevel);
    return {};
  };
  const engine = { InferenceSession: { create } } as unknown as OrtWeb;
  const bytes = { model: new Uint8Array(), weights: [] };
  await Session.create(engine, { ...GRAPH, target: "wasm", optimized }, bytes, false);
  expect(seen).toEqual([level]);
});
