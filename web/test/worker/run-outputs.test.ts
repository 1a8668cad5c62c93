import { expect, test } from "vitest";
import type { SharedEngine } from "../../src/engine/shared-engine.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import type { HostedModel } from "../../src/worker/hosted-model.js";
import { decodeRun, type GraphRun, type PreparedRun } from "../../src/worker/run-outputs.js";
import { lost, releases, unreadable } from "../support/unreadable.js";

test("if an output that stays cannot be copied for its result, all outputs are released", async () => {
  const [kept, decoded] = [unreadable(), unreadable()];
  const manifest = { task: { kind: "tensor" }, inputs: [] } as unknown as Manifest;
  const route = { path: "cpu", reason: "" };
  const model = { manifest, postprocessor: { runOnGpu: null, route } } as unknown as HostedModel;
  const engine = { gpu: { guard: (work: () => Promise<unknown>) => work() } } as unknown as SharedEngine;
  const run = { geometries: [{}], pictures: [{}], size: [1, 1], warnings: [] } as unknown as PreparedRun;
  const keeps = { names: ["kept"], onGpu: ["kept"], decodes: true };
  const outputs = { kept, decoded };
  const graph = { outputs, keeps, needed: ["decoded", "kept"], gpuOutputs: [], fallback: null };
  await expect(decodeRun(model, engine, run, graph as unknown as GraphRun)).rejects.toBe(lost);
  expect(releases([kept, decoded])).toEqual([1, 1]);
});
