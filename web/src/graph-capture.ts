// Whether a run's commands are recorded once and replayed: not with this engine, which was measured.

import type { Backend, ModelInfo } from "./api.js";
import type { EngineBuild } from "./manifest.js";

const VERSION = "1.30.0";

/**
 * What the builds of that version do with inputs that change between runs, `python -m bench.graph_capture` on
 * SwiftShader: not what could be tried on a visitor's machine, where a trap ends the engine and an old answer has no error.
 */
const MEASURED: Record<EngineBuild["build"], string> = {
  jspi: "traps in its first replay, which ends the engine",
  asyncify: "repeats its first answer without an error, where outputs are the caller's buffers",
  wasm: "has no GPU",
};

export function graphCapture(
  version: string,
  build: EngineBuild["build"],
  backend: Backend,
): ModelInfo["graphCapture"] {
  if (backend === "wasm") return { used: false, why: "the model runs on WASM" };
  const known = version === VERSION ? MEASURED[build] : `was not measured, ${VERSION} was not fit for it`;
  return { used: false, why: `onnxruntime-web ${version} ${known}` };
}
