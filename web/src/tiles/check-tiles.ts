// Checks on the page whether a model can run pictures in tiles, before anything is sent to the worker.

import { WebbuildError } from "../api/errors.js";
import type { RunOptions } from "../api/types.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest, TilePlan } from "../manifest/manifest.js";

/** Throws "invalid-option" if tiles are requested and the model has none. */
export function checkTiles(
  plan: TilePlan | null,
  inputs: Manifest["inputs"],
  { tiles }: Pick<RunOptions, "tiles">,
): void {
  if (tiles !== "auto") return;
  if (stateInputs(inputs).length > 0) {
    const what = "tiles: a model with state runs whole pictures, each tile would need a state of its own";
    throw new WebbuildError("invalid-option", what, "leave tiles out: the picture is resized");
  }
  if (plan !== null) return;
  const fix = "leave tiles out: the picture is resized. The output of webbuild pack says why there are none";
  throw new WebbuildError("invalid-option", "tiles: the model was packed without them", fix);
}
