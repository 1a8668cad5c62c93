// Options of a run that are pictures, into what can cross to the worker.

import type { TaskSpec } from "../tasks/task-module.js";
import { pictureOptionNames } from "../tasks/task-options.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import { closeImages, isImageSource, packImages } from "./image-source.js";

/** Hands the options to `work` with a copy of each picture, which is copied again when it crosses: a run may be repeated. */
export async function withOptionPictures<T>(
  manifest: { task: TaskSpec },
  options: WorkerRunOptions,
  work: (packed: WorkerRunOptions) => Promise<T>,
): Promise<T> {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const names = pictureOptionNames(manifest).filter((name) => isImageSource(given[name]));
  if (names.length === 0) return work(options);
  const sources = names.map((name) => given[name]).filter(isImageSource);
  const { pictures, transferables } = await packImages(sources, false, false);
  try {
    return await work({ ...options, ...Object.fromEntries(names.map((name, at) => [name, pictures[at]])) });
  } finally {
    closeImages(transferables);
  }
}
