// Chooses which outputs of a stage stay in its worker for later stages, and which of them on the GPU.

import type { LoadedModel } from "../fallback/loaded-model.js";
import { joinedOutputs, stageInputs } from "../manifest/stages.js";
import type { ModelStage } from "./model-stage.js";

/** Outputs stay on the GPU if a stage that reads them runs on WebGPU in the same worker. */
export function keptOutputs(
  stages: readonly ModelStage[],
  { name }: ModelStage,
  { connection, candidate }: LoadedModel,
): { names: string[]; onGpu: string[] } {
  const names = joinedOutputs(
    stages.map(({ manifest }) => manifest),
    name,
  );
  const isReadOnGpu = stages.some(({ manifest, session: { loaded } }) => {
    const takes = stageInputs(manifest).some(({ stage }) => stage === name);
    return takes && loaded.candidate.backend === "webgpu" && loaded.connection.sharesWorker(connection);
  });
  return { names, onGpu: isReadOnGpu && candidate.backend === "webgpu" ? names : [] };
}
