// The copies of a scene in workers: the original in the first stage's worker, and one in each worker of a later stage.

import type { RunOptions } from "../api/types.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { closePictures } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { RemoteHost } from "../worker/connection.js";

type SceneCall<T> = (scenes: RemoteHost["scenes"]) => Promise<T>;

/** Calls the scene methods of a worker. */
type CallScenes = <T>(call: SceneCall<T>) => Promise<T>;

/** Returns calls over the connection: they do not count as calls of the model, and are not repeated. */
export function connectionCaller({ connection }: LoadedModel): CallScenes {
  return (call) => connection.call(({ scenes }) => call(scenes));
}

/**
 * Returns calls through the session, without a retry: the caller repeats the whole run if the session was
 * loaded again.
 */
export function sessionCaller(session: ResilientSession, signal: RunOptions["signal"]): CallScenes {
  return (call) =>
    session.call(
      ({ scenes }) => call(scenes),
      () => null,
      signal,
    );
}

export class SceneCopies {
  /** The scene's number in the model. */
  readonly #number: number;
  /** The models whose copy has the outputs of all stages so far. */
  readonly #current = new Set<LoadedModel>();
  /** The models whose worker may have parts of the scene, to be released. */
  readonly #holders = new Set<LoadedModel>();
  #isReleased = false;

  constructor(number: number) {
    this.#number = number;
  }

  /** Records that a worker is about to get parts of the scene. */
  addHolder(loaded: LoadedModel): void {
    this.#holders.add(loaded);
  }

  /** Records that a stage has added its outputs to one copy: all others are out of date. */
  markCurrent(loaded: LoadedModel): void {
    this.#current.clear();
    this.#current.add(loaded);
  }

  /** Returns the copy in the same worker as a stage, the original or an up-to-date one; null if there is none. */
  findInWorkerOf(first: LoadedModel, { connection }: LoadedModel): LoadedModel | null {
    const isThere = (loaded: LoadedModel): boolean =>
      !loaded.connection.ended && loaded.connection.sharesWorker(connection);
    return [first, ...this.#current].find(isThere) ?? null;
  }

  /** Copies the scene from one worker to another, and returns `to`. */
  async copy(from: LoadedModel, read: CallScenes, to: LoadedModel, write: CallScenes): Promise<LoadedModel> {
    const saved = await read((scenes) => scenes.read(this.refOf(from)));
    try {
      if (this.#isReleased) return to;
      this.#holders.add(to);
      await write((scenes) => scenes.keep(this.#number, saved));
      this.#current.add(to);
      return to;
    } finally {
      closePictures([saved.view.picture]);
    }
  }

  /** Releases the scene in all workers, after the calls that they have received. */
  async release(): Promise<void> {
    this.#isReleased = true;
    const released = [...this.#holders].map(({ connection }) =>
      connection.call(({ scenes }) => scenes.release(this.#number)).catch(() => {}),
    );
    await Promise.all(released);
  }

  refOf({ modelId }: LoadedModel): SceneRef {
    return { modelId, scene: this.#number };
  }
}
