// A warm-up session of an empty graph: starts the engine's WebAssembly and makes its GPU device during the download.

import type { InferenceSession } from "onnxruntime-web";
import type { Backend } from "../api/types.js";
import type { OrtWeb } from "./engine.js";

/** Where that session is, and what the GPU is needed for before the engine has a device of it; `after` never rejects. */
export interface FirstSession {
  target: Backend;
  after: Promise<unknown>;
  /** Whether the graph that follows is loaded without the engine's optimizer: its code is not needed then. */
  optimized: boolean;
}

/** A graph of one Identity: `y float[1] = Identity(x float[1])`, opset 17. */
const IDENTITY =
  "CAgSADo3ChAKAXgSAXkiCElkZW50aXR5EgFnWg8KAXgSCgoICAESBAoCCAFiDwoBeRIKCggIARIECgIIAUIECgAQEQ==";

/** It is never released: the engine lets go of its device with the last session there. */
export function openFirstSession(
  engine: OrtWeb,
  { target, optimized }: Pick<FirstSession, "target" | "optimized">,
): Promise<InferenceSession> {
  const model = Uint8Array.from(atob(IDENTITY), (letter) => letter.charCodeAt(0));
  return engine.InferenceSession.create(model, {
    executionProviders: [target],
    graphOptimizationLevel: optimized ? "disabled" : "all",
    logSeverityLevel: 3,
  });
}
