// model.look(): a run of the first stage, whose outputs stay in the worker for later stages.

import { internalError } from "../api/errors.js";
import type { Backend, PreprocessRoute, Result, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { runInput } from "../preprocess/image-input.js";
import { type Geometry, planeSize, type Size } from "../preprocess/letterbox.js";
import { closePictures, type Picture, withDecoded } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { SceneView } from "../stages/scene-view.js";
import { taskOf } from "../tasks/registry.js";
import type { HostedModel } from "./hosted-model.js";
import { type InferenceRequest, infer } from "./infer.js";
import type { KeptOutputs } from "./run-outputs.js";

/** The answer to look(). */
export interface LookReport {
  /** The size of the upright picture. */
  source: Size;
  /** The first stage's result, null if its outputs are only tensors for later stages. */
  result: Result | null;
  timings: Result["timings"];
  preprocess: PreprocessRoute;
  backend: Backend;
  warnings: Warning[];
}

/** Runs the first stage, and keeps its outputs and the first picture as a scene. Closes the other pictures of a stack. */
export async function look(
  model: HostedModel,
  engine: SharedEngine,
  ref: SceneRef,
  request: InferenceRequest,
  kept: Pick<KeptOutputs, "names" | "onGpu">,
): Promise<LookReport> {
  const { manifest } = model;
  const { readsPicture, resultIsOutputs } = taskOf(manifest);
  const keeps = { ...kept, decodes: !resultIsOutputs };
  const [picture, ...others] = request.pictures;
  if (picture === undefined) throw internalError("look() without a picture");
  const run = (pictures: readonly Picture[]) => infer(model, engine, { ...request, pictures }, keeps);
  const found = await (readsPicture && keeps.decodes
    ? withDecoded(request.pictures, run)
    : run(request.pictures));
  closePictures(others);
  const { results, timings, geometry } = found;
  const { size, route, warnings } = found.run;
  const [result = null] = results;
  const view = firstView(manifest, picture, geometry, result);
  engine.scenes.keep(ref, { view, tensors: { [manifest.stageName ?? ""]: found.kept }, size, route });
  return {
    source: geometry.source,
    result,
    timings,
    preprocess: route,
    backend: found.backend,
    warnings: [...(result?.warnings ?? warnings)],
  };
}

/** Returns the view of the scene for later stages. */
function firstView(
  { inputs, stageName = "" }: HostedModel["manifest"],
  picture: Picture,
  geometry: Geometry,
  result: Result | null,
): SceneView {
  return {
    picture,
    geometry,
    input: planeSize(runInput(inputs).image),
    results: new Map(result === null ? [] : [[stageName, result]]),
  };
}
