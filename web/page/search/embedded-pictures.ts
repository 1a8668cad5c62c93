// The visitor's pictures and their embeddings, which the model computes on this device one after another.

import type { Model, PictureIndex } from "../../src/index.js";
import { isAbort } from "../shell/failure-card.js";

/** The progress of embedding the files. */
export interface EmbeddingProgress {
  done: number;
  total: number;
  /** The number of finished files that could not be read. */
  unreadable: number;
}

export class EmbeddedPictures {
  readonly #files = new Map<string, File>();
  readonly #vectors = new Map<string, Float32Array>();
  #index: PictureIndex | null = null;

  /** Embeds new pictures, until `signal` fires. Throws the model's errors. */
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

  /** The index for a search; null without pictures. */
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
