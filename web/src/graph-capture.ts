// Whether a run's commands are recorded once and replayed: not with this engine, which was measured.

import type { Backend, ModelInfo } from "./api.js";

/**
 * onnxruntime-web 1.30.0, `python -m bench.graph_capture` (SwiftShader, one Conv, inputs that change between runs): the
 * jspi build traps in the first replay, and with that the engine is gone; with outputs that are the caller's own buffers
 * both builds go on giving the first run's answer, without an error. So it cannot even be tried on a visitor's machine.
 */
export function graphCapture(engine: string, backend: Backend): ModelInfo["graphCapture"] {
  if (backend === "wasm") return { used: false, why: "the model runs on WASM" };
  const why = `onnxruntime-web ${engine} cannot replay: it stops for good, or repeats its first answer`;
  return { used: false, why };
}
