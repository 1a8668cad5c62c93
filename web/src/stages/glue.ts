// Glue: the bundle author's JavaScript that makes inputs of a stage from outputs of earlier stages.

import { errorMessage, WebbuildError } from "../api/errors.js";
import type { GlueFunction, Tensors } from "../api/types.js";
import { completeFeeds } from "../inputs/validate-inputs.js";
import type { Glue, Manifest } from "../manifest/manifest.js";
import type { StageManifest } from "../manifest/stages.js";
import type { Downloads } from "../storage/download.js";
import { LIMITS, withLimit } from "../worker/with-limit.js";
import type { SceneRef, SceneStore } from "./scene-store.js";

/** An imported glue module. */
export interface LoadedGlue extends Glue {
  make: GlueFunction;
}

/** Imports the module, after checking its hash like every file's. Null for a stage without glue. */
export async function loadGlue(
  { glueModule: glue }: StageManifest,
  downloads: Downloads,
): Promise<LoadedGlue | null> {
  if (glue === undefined) return null;
  await downloads.checkScript(glue.file, () => {});
  const address = downloads.url(glue.file);
  const imported: Promise<{ default?: unknown }> = import(
    /* @vite-ignore */ /* webpackIgnore: true */ /* turbopackIgnore: true */ address
  );
  const { default: make } = await imported.catch((cause: unknown) => {
    throw failed(glue.file, `it cannot be imported: ${errorMessage(cause)}`, cause);
  });
  if (typeof make !== "function")
    throw failed(glue.file, `its default export is ${typeof make}, not a function`);
  return { ...glue, make: make as GlueFunction };
}

/** Returns the tensors that the glue makes for the inputs that the caller has not given. */
export async function glueFeeds(
  { file, reads, make }: LoadedGlue,
  { inputs }: Pick<Manifest, "inputs">,
  scenes: SceneStore,
  ref: SceneRef,
  given: readonly string[],
): Promise<Tensors> {
  // Inputs that only the caller or the glue can fill in.
  const wanted = inputs.filter(({ kind, name }) => kind === "tensor" && !given.includes(name));
  if (wanted.length === 0) return {};
  const { view } = scenes.find(ref);
  const { source, ...placed } = view.geometry;
  const picture = { ...source, placed, input: view.input };
  try {
    const tensors = await scenes.read(ref, reads);
    const making = Promise.resolve(make(tensors, { picture, results: Object.fromEntries(view.results) }));
    const made = await withLimit(making, LIMITS.glue, "it");
    const others = Object.entries(Object(made)).filter(([name]) => !given.includes(name));
    return completeFeeds(wanted, Object.fromEntries(others) as Tensors);
  } catch (cause) {
    throw failed(file, errorMessage(cause), cause);
  }
}

function failed(file: string, reason: string, cause?: unknown): WebbuildError {
  const fix = "correct the module, and pack the model again";
  return new WebbuildError("glue-failed", `${file}: ${reason}`, fix, { cause });
}
