// What the models of one worker have in common: the engine, its GPU device, and the order in which they use them.

import { DeviceErrors } from "../gpu/device-errors.js";
import { onDeviceCreated } from "../gpu/gpu-device.js";
import type { EngineBuild } from "../manifest/manifest.js";
import { checkExternalTextures } from "../preprocess/gpu/external-texture-check.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { Queue } from "../worker/queue.js";
import { type OrtWeb, startEngine } from "./engine.js";

export class SharedEngine {
  /** The engine does one thing at a time: sessions are made, run and released in here, whosever they are. */
  readonly queue = new Queue();
  readonly gpu = new DeviceErrors();
  #engine: Promise<OrtWeb> | null = null;
  #externalTextures: Promise<string | null> | null = null;

  constructor() {
    onDeviceCreated((device) => this.gpu.watch(device));
  }

  /** Returns why VideoFrames are copied, null where the GPU may read them where they lie. Found out once. */
  externalTextureRefusal(): Promise<string | null> {
    this.#externalTextures ??= checkExternalTextures();
    return this.#externalTextures;
  }

  /** Starts the engine, or waits for the model that does. Where that one fails, this one tries its own files. */
  start(build: EngineBuild, downloads: Downloads, onBytes: OnBytes): Promise<OrtWeb> {
    const own = (): Promise<OrtWeb> => startEngine(build, downloads, onBytes);
    this.#engine = this.#engine === null ? own() : this.#engine.catch(own);
    return this.#engine;
  }
}
