// Options of load() that may differ between stages.

import type { Manifest } from "../manifest/manifest.js";
import { everyModel } from "../manifest/stages.js";
import { WebbuildError } from "./errors.js";
import type { StageOption } from "./types.js";

/** Returns an option's value for a stage: one value for all, or by stage name; "auto" if it is left out. */
export function stageOption<T extends string>(
  option: StageOption<T> | undefined,
  stage: string | undefined,
): T | "auto" {
  if (typeof option !== "object") return option ?? "auto";
  return (stage === undefined ? undefined : option[stage]) ?? "auto";
}

/** Throws "invalid-option" for the name of a stage that the model does not have. */
export function checkStageNames(manifest: Manifest, option: unknown, name: string): void {
  if (typeof option !== "object" || option === null) return;
  const names = everyModel(manifest).flatMap(({ stageName }) => stageName ?? []);
  const unknown = Object.keys(option).find((stage) => !names.includes(stage));
  if (unknown === undefined) return;
  const fix =
    names.length === 0
      ? `give one value as ${name}: the model has one stage`
      : `its stages are: ${names.join(", ")}`;
  throw new WebbuildError("invalid-option", `${name}: the model has no stage "${unknown}"`, fix);
}
