// What a scene is made of: the picture that was looked at, and where the first stage's outputs lie now. Where these are
// lost with a worker, the first stage runs again.

import type { RunOptions } from "../api/types.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import { type ResilientSession, rejectOnAbort, type WorkerCall } from "../fallback/recovery.js";
import type { Manifest } from "../manifest/manifest.js";
import { stageInputs } from "../manifest/stages.js";
import { blamingOrigin } from "../preprocess/image-source.js";
import { closePictures, type Picture } from "../preprocess/pixels.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { LookReport } from "../worker/look.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import type { ModelStage } from "./model-stage.js";
import type { Work } from "./run-turns.js";

/** A run of the first stage, and how to do it again. */
interface Look {
  /** The scene's number in the model. */
  number: number;
  /** The variant of the first stage that fits the pictures. */
  variant: Manifest;
  pictures: readonly Picture[];
  options: WorkerRunOptions;
}

interface Place {
  session: ResilientSession;
  loaded: LoadedModel;
}

export class SceneSource {
  readonly #first: ModelStage;
  readonly #next: ModelStage;
  readonly #look: Look;
  /** Where the first stage has written its outputs; null before it has. */
  #place: Place | null = null;
  /** Where there are copies of it, in other workers. */
  readonly #copies = new Set<LoadedModel>();
  /** One at a time, whoever asks. */
  #looking: Promise<LookReport> | null = null;

  constructor(first: ModelStage, next: ModelStage, look: Look) {
    this.#first = first;
    this.#next = next;
    this.#look = look;
  }

  /** Runs the first stage. */
  async look(signal: RunOptions["signal"]): Promise<LookReport> {
    const { number, variant, pictures, options } = this.#look;
    const work: Work<LookReport> = async (session, id) => {
      const call: WorkerCall<LookReport> = (host) =>
        host.scenes.look(id, number, pictures, options, this.#kept(session.loaded)).catch(blamingOrigin);
      const report = await session.call(call, () => call, signal);
      this.#place = { session, loaded: session.loaded };
      return report;
    };
    const { answer } = await this.#first.turns.run(variant, { turn: null, signal }, work, () => false);
    return answer;
  }

  /** Returns the scene as the session's worker knows it: copied there where the first stage runs in another. */
  async refIn(session: ResilientSession, signal: RunOptions["signal"]): Promise<SceneRef> {
    for (;;) {
      const place = await this.#ensure(signal);
      const { loaded } = session;
      if (loaded.connection.sharesWorker(place.loaded.connection)) return this.#refOf(place.loaded);
      if (this.#copies.has(loaded)) return this.#refOf(loaded);
      try {
        const saved = await place.session.call(
          (host) => host.scenes.read(this.#look.number),
          () => null,
          signal,
        );
        await session.call(
          (host) => host.scenes.keep(this.#look.number, saved),
          () => null,
          signal,
        );
        this.#copies.add(loaded);
      } catch (error) {
        if (!(await this.moved(signal))) throw error;
      }
    }
  }

  /** Whether what the first stage wrote is lost, since that has moved to another worker. */
  async moved(signal: RunOptions["signal"]): Promise<boolean> {
    const place = this.#place;
    await place?.session.ready(signal);
    return place === null || place.session.loaded !== place.loaded;
  }

  /** Frees what the workers hold, after the runs that were called before, and the picture. */
  async release(): Promise<void> {
    const { number, pictures } = this.#look;
    const places = new Set([...this.#copies, this.#place?.loaded ?? this.#first.session.loaded]);
    const released = [...places].map(({ connection }) =>
      connection.call((host) => host.scenes.release(number)).catch(() => {}),
    );
    await Promise.all(released);
    this.#copies.clear();
    this.#place = null;
    closePictures(pictures);
  }

  async #ensure(signal: RunOptions["signal"]): Promise<Place> {
    for (;;) {
      const isLost = await this.moved(signal);
      if (!isLost && this.#place !== null) return this.#place;
      // Whoever asks meanwhile waits for the same run, which none of their signals drops.
      this.#looking ??= this.look(undefined).finally(() => {
        this.#looking = null;
      });
      await rejectOnAbort(this.#looking, signal);
    }
  }

  #refOf({ host }: LoadedModel): SceneRef {
    return { host, scene: this.#look.number };
  }

  /** What the next stage takes; it stays on the GPU where that runs there too. */
  #kept({ connection, candidate }: LoadedModel): { names: string[]; onGpu: string[] } {
    const next = this.#next.session.loaded;
    const taken = stageInputs(this.#next.manifest).filter(({ stage }) => stage === this.#first.name);
    const names = [...new Set(taken.map(({ output }) => output))];
    const shares = next.connection.sharesWorker(connection);
    const onGpu = shares && candidate.backend === "webgpu" && next.candidate.backend === "webgpu";
    return { names, onGpu: onGpu ? names : [] };
  }
}
