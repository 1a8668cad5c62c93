// Where a scene lies: in the worker of the first stage, and whole copies of it in those of other stages.

import type { RunOptions } from "../api/types.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { closePictures } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { RemoteHost } from "../worker/connection.js";

type SceneCall<T> = (scenes: RemoteHost["scenes"]) => Promise<T>;

/** Asks a worker about scenes. */
type AskScenes = <T>(call: SceneCall<T>) => Promise<T>;

/** Asks a worker in calls that are none of the model's. */
export function aside({ connection }: LoadedModel): AskScenes {
  return (call) => connection.call(({ scenes }) => call(scenes));
}

/** Asks a worker once: who asked tries again where the session moves. */
export function asking(session: ResilientSession, signal: RunOptions["signal"]): AskScenes {
  return (call) =>
    session.call(
      ({ scenes }) => call(scenes),
      () => null,
      signal,
    );
}

export class ScenePlaces {
  /** The scene's number in the model. */
  readonly #number: number;
  readonly #copies = new Set<LoadedModel>();
  /** Every place that may hold something of it. */
  readonly #all = new Set<LoadedModel>();
  #isReleased = false;

  constructor(number: number) {
    this.#number = number;
  }

  /** Something of the scene is about to be there. */
  add(place: LoadedModel): void {
    this.#all.add(place);
  }

  /** A stage has written its outputs in a place: the copies elsewhere are of before. */
  changed(place: LoadedModel): void {
    this.#copies.clear();
    this.#copies.add(place);
  }

  /** Returns the place in a stage's worker that has the whole scene: the first stage's or a copy; null where there is none. */
  find(first: LoadedModel, { connection }: LoadedModel): LoadedModel | null {
    const isThere = (place: LoadedModel): boolean =>
      !place.connection.ended && place.connection.sharesWorker(connection);
    return [first, ...this.#copies].find(isThere) ?? null;
  }

  /** Copies the scene from one worker to another, and returns where it is then. */
  async copy(from: LoadedModel, read: AskScenes, to: LoadedModel, write: AskScenes): Promise<LoadedModel> {
    const saved = await read((scenes) => scenes.read(this.refOf(from)));
    try {
      if (this.#isReleased) return to;
      this.#all.add(to);
      await write((scenes) => scenes.keep(this.#number, saved));
      this.#copies.add(to);
      return to;
    } finally {
      closePictures([saved.view.picture]);
    }
  }

  /** Frees what the workers hold, after the calls that have reached them. */
  async release(): Promise<void> {
    this.#isReleased = true;
    const released = [...this.#all].map(({ connection }) =>
      connection.call(({ scenes }) => scenes.release(this.#number)).catch(() => {}),
    );
    await Promise.all(released);
  }

  refOf({ host }: LoadedModel): SceneRef {
    return { host, scene: this.#number };
  }
}
