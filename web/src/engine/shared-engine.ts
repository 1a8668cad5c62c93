// What the models of a worker share: the engine, its GPU device, the queue of its calls, and scenes.

import { internalError } from "../api/errors.js";
import { DeviceErrors } from "../gpu/device-errors.js";
import { EngineDevices } from "../gpu/engine-devices.js";
import { PreparedPipelines } from "../gpu/prepared-pipelines.js";
import { checkExternalTextures } from "../preprocess/gpu/external-texture-check.js";
import type { GpuSetup } from "../session/gpu-setup.js";
import type { SessionRequest } from "../session/session-setup.js";
import { SceneStore } from "../stages/scene-store.js";
import type { Downloads, OnBytes } from "../storage/download.js";
import { IdleTime } from "../worker/idle-time.js";
import { Queue } from "../worker/queue.js";
import { gpuDevice, type OrtWeb, type StartedEngine, startEngine } from "./engine.js";
import { type FirstSession, openFirstSession } from "./first-session.js";
import { PlacementLog, redirectConsole } from "./placement-log.js";

/** Calls from a worker's engine to the page. */
export interface EnginePage {
  /** Registers the service worker that serves the engine from the next visit on; returns whether it could. */
  register(): Promise<boolean>;
  /** Keeps the engine's compiled code for a worker that replaces this one. */
  keep(module: WebAssembly.Module): unknown;
}

export class SharedEngine {
  /** The sessions of all models are created, run and released in this queue: the engine does one thing at a time. */
  readonly queue = new Queue();
  readonly gpu = new DeviceErrors();
  readonly pipelines = new PreparedPipelines();
  /** The devices that the engine requests. */
  readonly devices = new EngineDevices(
    (device) => this.pipelines.watch(device),
    (device) => this.gpu.watch(device),
  );
  /** The scenes: pictures and tensors that the stages of a model pass on. */
  readonly scenes = new SceneStore();
  /** Prepares the next visit when no run has come for a while. */
  readonly activity = new IdleTime((signal) => this.#prepareNextVisit(signal));
  #models = 0;
  #log: PlacementLog | null = null;
  #engine: Promise<StartedEngine> | null = null;
  /** Prepares the next visit, null until the engine has started. */
  #nextVisit: ((signal: AbortSignal) => Promise<void>) | null = null;
  #externalTextures: Promise<string | null> | null = null;

  /** Returns a number that no other model in this worker has. */
  nextModelId(): number {
    return this.#models++;
  }

  /** Returns why VideoFrames are copied, null where the GPU imports them as external textures. Checked once. */
  externalTextureRefusal(): Promise<string | null> {
    this.#externalTextures ??= checkExternalTextures();
    return this.#externalTextures;
  }

  /** Returns the log of the engine. Call it before the engine is started. */
  placementLog(): PlacementLog {
    this.#log ??= redirectConsole(new PlacementLog());
    return this.#log;
  }

  /** Returns the engine's device, which exists after the first session on WebGPU. */
  async device(): Promise<GPUDevice> {
    if (this.#engine === null) throw internalError("a device of an engine that was not started");
    return gpuDevice((await this.#engine).engine);
  }

  /** Creates the device and pipelines that an earlier visit used, after other work on the GPU. */
  async prepare({ device, pipelines }: GpuSetup, after: Promise<unknown>): Promise<void> {
    this.pipelines.prepare(pipelines);
    await after;
    if (device !== null) this.devices.createEarly(device);
  }

  /** Starts the engine, once for all models. If it failed to start with another model's files, starts it with this one's. */
  async start(
    request: Pick<SessionRequest, "build" | "compiled">,
    downloads: Downloads,
    onBytes: OnBytes,
    first: FirstSession,
    page: EnginePage,
  ): Promise<OrtWeb> {
    const start = (): Promise<StartedEngine> => this.#start(request, downloads, onBytes, first, page);
    this.#engine = this.#engine === null ? start() : this.#engine.catch(start);
    const { engine, module } = await this.#engine;
    if (mayKeepCode()) void page.keep(module);
    return engine;
  }

  async #start(
    { build, compiled }: Pick<SessionRequest, "build" | "compiled">,
    downloads: Downloads,
    onBytes: OnBytes,
    first: FirstSession,
    page: EnginePage,
  ): Promise<StartedEngine> {
    const started = await startEngine(build, compiled, downloads, onBytes);
    await first.after;
    // If this session fails, the model's own fails too, and reports the error.
    await this.queue.add(() => this.gpu.guard(() => openFirstSession(started.engine, first))).catch(() => {});
    this.#nextVisit = async (signal) => {
      await downloads.storeDecompressed(signal);
      if (started.isServed) await downloads.renewServedEngine(build.wasm);
      else if (!signal.aborted && (await page.register())) await downloads.storeServedEngine(build.wasm);
    };
    return started;
  }

  /** A failure, such as no memory, is ignored: the next visit then loads as this one did. */
  async #prepareNextVisit(signal: AbortSignal): Promise<boolean> {
    await this.#nextVisit?.(signal).catch(() => {});
    return true;
  }
}

/**
 * Whether the page keeps the engine's compiled code. Not in Firefox, whose memory then grows with each
 * worker: by 130 MB in a page that restarts the engine, by 0.25 MB with each further start. After about 60
 * models it cannot compile any more (measured in Firefox 153).
 */
function mayKeepCode(): boolean {
  return !navigator.userAgent.includes("Firefox/");
}
