// What the models of one worker have in common: the engine, its GPU device, and the order in which they use them.

import type { Downloads, OnBytes } from "./download.js";
import { type Engine, startEngine } from "./engine.js";
import { trialOfFrames } from "./feed/trial.js";
import { GpuErrors, onDevice } from "./gpu.js";
import type { EngineBuild } from "./manifest.js";
import { Queue } from "./queue.js";

export class SharedEngine {
  /** The engine does one thing at a time: sessions are made, run and released in here, whosever they are. */
  readonly queue = new Queue();
  readonly gpu = new GpuErrors();
  #engine: Promise<Engine> | null = null;
  #frames: Promise<string | null> | null = null;

  constructor() {
    onDevice((device) => this.gpu.watch(device));
  }

  /** Returns why VideoFrames are copied, null where the GPU may read them where they lie. Found out once. */
  refusalOfFrames(): Promise<string | null> {
    this.#frames ??= trialOfFrames();
    return this.#frames;
  }

  /** Starts the engine, or waits for the model that does. Where that one fails, this one tries its own files. */
  start(build: EngineBuild, downloads: Downloads, onBytes: OnBytes): Promise<Engine> {
    const own = (): Promise<Engine> => startEngine(build, downloads, onBytes);
    this.#engine = this.#engine === null ? own() : this.#engine.catch(own);
    return this.#engine;
  }
}
