import { expect, test, vi } from "vitest";
import { SharedEngine } from "../../src/engine/shared-engine.js";
import type { SessionParts } from "../../src/session/fetch-parts.js";
import { LoadProgress } from "../../src/session/load-progress.js";
import { openSession } from "../../src/session/open-session.js";
import type { SessionRequest } from "../../src/session/session-setup.js";
import { GRAPH } from "../support/graphs.js";

test("a session whose postprocessor cannot be created is released", async () => {
  const release = vi.fn(async () => {});
  const engine = { InferenceSession: { create: async () => ({ release }) }, env: { wasm: {} } };
  const manifest = { task: { kind: "no task" }, inputs: [], outputs: [], engine: {} };
  const request = { manifest, graph: GRAPH, build: {}, joined: [], backend: "webgpu", processing: "cpu" };
  const parts = {
    engine,
    adapter: { info: {} },
    bytes: { model: new Uint8Array(), weights: [] },
    capture: { used: false },
    gpuSetup: { stored: { pipelines: [] }, key: null },
  };
  const opening = openSession(
    request as unknown as SessionRequest,
    parts as unknown as SessionParts,
    new LoadProgress(() => {}),
    () => {},
    new SharedEngine(),
    new AbortController().signal,
  );
  await expect(opening).rejects.toThrow();
  expect(release).toHaveBeenCalledTimes(1);
});
