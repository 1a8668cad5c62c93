// The engine's first session, of a graph of one node: it starts WebAssembly and creates the GPU device while the model
// downloads.

import type { InferenceSession } from "onnxruntime-web";
import type { Backend } from "../api/types.js";
import type { OrtWeb } from "./engine.js";
import { identityGraph } from "./identity-graph.js";

export interface FirstSession {
  target: Backend;
  /** Work on the GPU that must end before the engine creates its device. Never rejects. */
  after: Promise<unknown>;
  /** Whether the model's graph is optimized already and skips the engine's optimizer: this session then skips it too. */
  optimized: boolean;
}

/** Opens the session. It is never released: the engine releases the device with its last session. */
export function openFirstSession(
  engine: OrtWeb,
  { target, optimized }: Pick<FirstSession, "target" | "optimized">,
): Promise<InferenceSession> {
  return engine.InferenceSession.create(identityGraph(), {
    executionProviders: [target],
    graphOptimizationLevel: optimized ? "disabled" : "all",
    logSeverityLevel: 3,
  });
}
