// Packs options of a run that are pictures, for the worker.

import type { ImageSource } from "../api/types.js";
import type { TaskSpec } from "../tasks/task-module.js";
import { pictureOptionNames } from "../tasks/task-options.js";
import type { WorkerRunOptions } from "../worker/worker-run-options.js";
import { isVideoFrame } from "./canvas-pixels.js";
import { classNameOf, isBlob } from "./class-name.js";
import { closeImages, isImageSource, packImages } from "./image-source.js";

/**
 * Passes the options to `work` with a copy of each picture, which begins before `work`. Pictures are copied,
 * not transferred, as a run may be repeated.
 */
export async function withOptionPictures<T>(
  manifest: { task: TaskSpec },
  options: WorkerRunOptions,
  work: (packed: Promise<WorkerRunOptions>) => Promise<T>,
): Promise<T> {
  const given: Readonly<Record<string, unknown>> = { ...options };
  const names = pictureOptionNames(manifest).filter((name) => isImageSource(given[name]));
  if (names.length === 0) return work(Promise.resolve(options));
  const sources = names.map((name) => given[name]).filter(isImageSource);
  const pictureKeys = Object.fromEntries(names.map((name, at) => [name, pictureKey(sources[at])]));
  const packing = packImages(sources, { asFrames: false, decodesFiles: false, wraps: false });
  const packed = packing.then(({ pictures }) => {
    const copies = Object.fromEntries(names.map((name, at) => [name, pictures[at]]));
    return { ...options, ...copies, pictureKeys };
  });
  packed.catch(() => {}); // `work` may fail before it waits for it
  try {
    return await work(packed);
  } finally {
    void packing.then(({ transferables }) => closeImages(transferables)).catch(() => {});
  }
}

let lastKey = 0;
const keys = new WeakMap<object, { key: number; address: string }>();

/**
 * Returns the same number for a picture that was used before and has not changed. A canvas or a video may
 * have changed.
 */
function pictureKey(source: ImageSource | undefined): number {
  const address = addressOf(source);
  if (source === undefined || address === null) return ++lastKey;
  const known = keys.get(source);
  if (known?.address === address) return known.key;
  keys.set(source, { key: ++lastKey, address });
  return lastKey;
}

/**
 * Returns a string that changes with the content of a picture; null if there is none, as for a canvas. An
 * <img> that is loading has the address of the picture before.
 */
function addressOf(source: ImageSource | undefined): string | null {
  const name = classNameOf(source);
  if (name === "HTMLImageElement") {
    const { complete, currentSrc } = source as HTMLImageElement;
    return complete ? currentSrc : null;
  }
  return name === "ImageBitmap" || isBlob(source) || isVideoFrame(source) ? "" : null;
}
