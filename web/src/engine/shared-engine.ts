// What the models of one worker have in common: the engine, its GPU device, and the order in which they use them.

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

/** What the page does for the engine of a worker. */
export interface EnginePage {
  /** Lets this worker be given the engine from the next visit on; returns whether it could. */
  register(): Promise<boolean>;
  /** Keeps the engine's code for the worker that takes this one's place. */
  keep(module: WebAssembly.Module): unknown;
}

export class SharedEngine {
  /** The engine does one thing at a time: sessions are made, run and released in here, whosever they are. */
  readonly queue = new Queue();
  readonly gpu = new DeviceErrors();
  readonly pipelines = new PreparedPipelines();
  /** The engine shows its device only after the first session. */
  readonly devices = new EngineDevices(
    (device) => this.pipelines.watch(device),
    (device) => this.gpu.watch(device),
  );
  /** What the stages of a model hand to each other. */
  readonly scenes = new SceneStore();
  /** Told of every run, so that what is for the next visit waits until this one has had a result, and asks for no more. */
  readonly activity = new IdleTime((signal) => this.#prepareNextVisit(signal));
  #models = 0;
  #log: PlacementLog | null = null;
  #engine: Promise<StartedEngine> | null = null;
  /** Does what the engine's next visit is to find. */
  #nextVisit: ((signal: AbortSignal) => Promise<void>) | null = null;
  #externalTextures: Promise<string | null> | null = null;

  /** Returns a number that no other model in this worker has. */
  nextModel(): number {
    return this.#models++;
  }

  /** Returns why VideoFrames are copied, null where the GPU may read them where they lie. Found out once. */
  externalTextureRefusal(): Promise<string | null> {
    this.#externalTextures ??= checkExternalTextures();
    return this.#externalTextures;
  }

  /** Returns the log of the engine. Call it before the engine is started. */
  placementLog(): PlacementLog {
    this.#log ??= redirectConsole(new PlacementLog());
    return this.#log;
  }

  /** Returns the engine's device. There is one after the first session on WebGPU. */
  async device(): Promise<GPUDevice> {
    if (this.#engine === null) throw internalError("a device of an engine that was not started");
    return gpuDevice((await this.#engine).engine);
  }

  /** Begins what the engine asked of the GPU in an earlier visit, once the GPU is free for it. */
  async prepare({ device, pipelines }: GpuSetup, after: Promise<unknown>): Promise<void> {
    this.pipelines.prepare(pipelines);
    await after;
    if (device !== null) this.devices.createEarly(device);
  }

  /** Starts the engine, or waits for the model that does. Where that one fails, this one tries its own files. */
  async start(
    { build, compiled }: Pick<SessionRequest, "build" | "compiled">,
    downloads: Downloads,
    onBytes: OnBytes,
    first: FirstSession,
    page: EnginePage,
  ): Promise<OrtWeb> {
    const own = async (): Promise<StartedEngine> => {
      const started = await startEngine(build, compiled, downloads, onBytes);
      await first.after;
      // Where there can be none, the model's own session fails too, and says why.
      await this.queue
        .add(() => this.gpu.guard(() => openFirstSession(started.engine, first)))
        .catch(() => {});
      this.#nextVisit = async (signal) => {
        await downloads.keepDecompressed(signal);
        const isToServe = !started.isServed && !signal.aborted && (await page.register());
        if (isToServe) await downloads.serveEngine(build.wasm);
      };
      return started;
    };
    this.#engine = this.#engine === null ? own() : this.#engine.catch(own);
    const { engine, module } = await this.#engine;
    if (mayKeepCode()) void page.keep(module);
    return engine;
  }

  /** Where that fails, as without memory, the next visit does as this one did. */
  async #prepareNextVisit(signal: AbortSignal): Promise<boolean> {
    await this.#nextVisit?.(signal).catch(() => {});
    return true;
  }
}

/**
 * Whether the page keeps an engine's code. With it Firefox holds what each worker adds: 130 MB more in a page whose engine is
 * started again, 0.25 MB more with each further start, and after some 60 models it compiles no more (measured, Firefox 153).
 */
function mayKeepCode(): boolean {
  return !navigator.userAgent.includes("Firefox/");
}
