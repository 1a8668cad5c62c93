// The visitor's pictures and their vectors, which the model on this device makes one after another.

import type { Model, PictureIndex } from "../../src/index.js";
import { isAbort } from "../shell/failure-card.js";

/** What has become of the files so far. */
export interface EmbeddingProgress {
  done: number;
  total: number;
  /** What could not be read, of those that are done. */
  unreadable: number;
}

export class EmbeddedPictures {
  readonly #files = new Map<string, File>();
  readonly #vectors = new Map<string, Float32Array>();
  #index: PictureIndex | null = null;

  /** Embeds pictures that are not there yet, until `signal` fires. Throws what keeps the model from running. */
  async add(
    model: Model,
    files: readonly File[],
    signal: AbortSignal,
    onProgress: (progress: EmbeddingProgress) => void,
  ): Promise<EmbeddingProgress> {
    const progress = { done: 0, total: files.length, unreadable: 0 };
    for (const file of files) {
      if (signal.aborted) break;
      try {
        await this.#embed(model, file, signal);
      } catch (error) {
        if (isAbort(error)) break;
        if ((error as { code?: unknown }).code !== "unreadable-image") throw error;
        progress.unreadable += 1;
      }
      progress.done += 1;
      onProgress(progress);
    }
    return progress;
  }

  async #embed(model: Model, file: File, signal: AbortSignal): Promise<void> {
    const name = file.webkitRelativePath || file.name;
    if (this.#vectors.has(name) && isSame(this.#files.get(name), file)) return;
    const result = await model.run(file, { signal });
    if (!("embedding" in result)) throw new Error("The model makes no vectors.");
    this.#files.set(name, file);
    this.#vectors.set(name, result.embedding);
    this.#index = null;
  }

  get size(): number {
    return this.#vectors.size;
  }

  file(name: string): File | undefined {
    return this.#files.get(name);
  }

  /** Null where there are none. */
  index(): PictureIndex | null {
    const [first] = this.#vectors.values();
    if (first === undefined) return null;
    this.#index ??= joined(this.#vectors, first.length);
    return this.#index;
  }
}

function joined(all: ReadonlyMap<string, Float32Array>, dimension: number): PictureIndex {
  const vectors = new Float32Array(all.size * dimension);
  for (const [at, vector] of [...all.values()].entries()) vectors.set(vector, at * dimension);
  return { vectors, names: [...all.keys()], dimension };
}

function isSame(known: File | undefined, file: File): boolean {
  return known?.size === file.size && known.lastModified === file.lastModified;
}
