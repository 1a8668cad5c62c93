// What the models of one worker have in common: the engine, its GPU device, and the order in which they use them.

import type { Downloads, OnBytes } from "./download.js";
import { type Engine, startEngine } from "./engine.js";
import { GpuErrors } from "./gpu.js";
import type { EngineBuild } from "./manifest.js";
import { Queue } from "./queue.js";

export class SharedEngine {
  /** The engine does one thing at a time: sessions are made, run and released in here, whosever they are. */
  readonly queue = new Queue();
  #engine: Promise<Engine> | null = null;
  #watched: { device: GPUDevice; errors: GpuErrors } | null = null;

  /** Starts the engine, or waits for the model that does. Where that one fails, this one tries its own files. */
  start(build: EngineBuild, downloads: Downloads, onBytes: OnBytes): Promise<Engine> {
    const own = (): Promise<Engine> => startEngine(build, downloads, onBytes);
    this.#engine = this.#engine === null ? own() : this.#engine.catch(own);
    return this.#engine;
  }

  /** Returns the errors of the device that new sessions are on. Ask when there is a session. */
  async gpuErrors({ env }: Engine): Promise<GpuErrors> {
    const device = await env.webgpu.device;
    if (this.#watched?.device !== device) this.#watched = { device, errors: new GpuErrors(device) };
    return this.#watched.errors;
  }
}
