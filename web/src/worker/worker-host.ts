// The worker's side of a model: what the page may ask, answered one at a time.

import { finalizer, releaseProxy } from "comlink";
import { abortedError, internalError, WebbuildError } from "../api/errors.js";
import type { ImageResult, Result, RunOptions, TensorData, Tensors, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { pictureBatch } from "../manifest/variants.js";
import { closePictures, isVideoFrame, type Picture, withDecoded } from "../preprocess/pixels.js";
import type { ProgressCallback } from "../session/load-progress.js";
import { type SessionRequest, type SessionSetup, setUpSession } from "../session/session-setup.js";
import { type SavedState, type StateRequest, StreamStates } from "../session/stream-states.js";
import { taskOf } from "../tasks/registry.js";
import { tilingOf } from "../tiles/tiling.js";
import type { HostedModel, ModelDescription } from "./hosted-model.js";
import { infer } from "./infer.js";
import { preparePictures } from "./prepare-pictures.js";
import { Queue } from "./queue.js";
import { runInTiles, type TileListener } from "./tiled-run.js";
import { withTransfer } from "./transfer.js";
import type { Warn } from "./with-limit.js";

/** A run's options without what cannot cross into a worker. */
export type WorkerRunOptions = Omit<RunOptions, "signal" | "state" | "onTile">;

export class WorkerHost {
  readonly #engine: SharedEngine;
  readonly #closing = new AbortController();
  readonly #cancelled = new Set<number>();
  /** One tiled run at a time, so that memory holds one result. Each tile waits for its turn at the engine. */
  readonly #tiled = new Queue();
  #loading: Promise<SessionSetup> | null = null;
  #loaded: HostedModel | null = null;

  constructor(engine: SharedEngine) {
    this.#engine = engine;
  }

  /** Answers as soon as the worker runs. */
  ready(): void {}

  /** `late` hears the first warning of each code, also those that come when the model is open. */
  async open(
    request: SessionRequest,
    onProgress: ProgressCallback | null,
    late: (warning: Warning) => unknown,
  ): Promise<ModelDescription> {
    const warnings: Warning[] = [];
    const warn: Warn = (warning) => {
      if (warnings.some(({ code }) => code === warning.code)) return;
      warnings.push(warning);
      void late(warning);
    };
    this.#loading = setUpSession(request, onProgress, warn, this.#engine, this.#closing.signal);
    const { info, takesFrames, ...hosted } = await this.#loading;
    const states = new StreamStates(request.manifest.inputs);
    this.#loaded = { manifest: request.manifest, states, ...hosted };
    return { info, takesFrames, warnings };
  }

  /** Called when the page has let go of this model, and others of the worker go on. */
  async [finalizer](): Promise<void> {
    this.#closing.abort();
    const loaded = await this.#loading?.catch(() => null);
    if (loaded === null || loaded === undefined) return;
    await this.#engine.queue.add(() => {
      this.#loaded?.states.release();
      return loaded.predictor.release().finally(() => loaded.preprocessor.release());
    });
  }

  /**
   * `state` is the state that the run reads, null for a model without state; `onTile` hears of the tiles. Where the run
   * fails its pictures go back with the error, else they are closed. Those among the options are closed either way.
   */
  async run(
    id: number,
    pictures: readonly Picture[],
    options: WorkerRunOptions,
    state: StateRequest | null,
    onTile: TileListener | null = null,
  ): Promise<Result[]> {
    try {
      const [picture] = pictures;
      // A state is one of whole pictures: each tile would need its own.
      const tiling = state === null ? tilingOf(this.#model().manifest, pictures, options) : null;
      const runTile = (tile: ImageData): Promise<ImageResult> => this.#runTile(id, tile, options);
      const results =
        tiling !== null && picture !== undefined
          ? await this.#tiled.add(() => runInTiles(picture, tiling, runTile, onTile))
          : await this.#engine.queue.add(() => this.#runWhole(id, pictures, options, state));
      closePictures(pictures);
      return results;
    } catch (error) {
      if (error instanceof WebbuildError && error.code !== "aborted") error.pictures = pictures;
      else closePictures(pictures);
      throw error;
    } finally {
      this.#cancelled.delete(id);
      closePictures(Object.values(options).filter(isOpenPicture));
      (onTile as { [releaseProxy]?(): void } | null)?.[releaseProxy]?.();
    }
  }

  /** Drops a run that has not begun, or the tiles of one that have not. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }

  preprocess(pictures: readonly Picture[]): Promise<TensorData> {
    return this.#engine.queue.add(async () => {
      try {
        const model = this.#model();
        const { tensor } = await preparePictures(model, pictures, pictureBatch(model.manifest));
        const read = "buffer" in tensor ? await tensor.read() : tensor;
        return withTransfer(read, [read.data]);
      } finally {
        closePictures(pictures);
      }
    });
  }

  /** A state among the feeds replaces the stream's own. */
  runTensors(id: number, feeds: Tensors, state: StateRequest | null): Promise<Tensors> {
    return this.#engine.queue.add(async () => {
      this.#throwIfCancelled(id);
      const { predictor, states } = this.#model();
      const begun = state && states.begin(state, null);
      const run = await predictor.runRaw({ ...begun?.feeds, ...feeds });
      if (state) states.keep(state.stream, id, { tensors: run.states, size: null });
      return withTransfer(run.outputs, tensorArrays(run.outputs));
    });
  }

  /** Returns a copy of the state after a run. */
  readState(stream: number, run: number): Promise<SavedState> {
    return this.#engine.queue.add(() => {
      const { states } = this.#model();
      const read = (): Promise<SavedState> => states.read(stream, run);
      return states.isOnGpu(stream, run) ? this.#engine.gpu.guard(read) : read();
    });
  }

  /** Frees the state of a stream. */
  dropState(stream: number): Promise<void> {
    return this.#engine.queue.add(async () => this.#model().states.drop(stream));
  }

  async #runWhole(
    id: number,
    pictures: readonly Picture[],
    options: WorkerRunOptions,
    state: StateRequest | null,
  ): Promise<Result[]> {
    this.#throwIfCancelled(id);
    const model = this.#model();
    const { transfer, readsPicture } = taskOf(model.manifest);
    const run = (own: readonly Picture[]): Promise<Result[]> =>
      infer(model, this.#engine, { id, pictures: own, options, state });
    const results = await (readsPicture ? withDecoded(pictures, run) : run(pictures));
    const large = results.map((result) => transfer?.(result));
    return withTransfer(
      results,
      large.flatMap((each) => each?.arrays ?? []),
      large.flatMap((each) => each?.others ?? []),
    );
  }

  /** Between the tiles others of the engine have their turn, and the run may be dropped. */
  #runTile(id: number, tile: ImageData, options: WorkerRunOptions): Promise<ImageResult> {
    return this.#engine.queue.add(async () => {
      this.#throwIfCancelled(id);
      const request = { id, pictures: [tile], options, state: null };
      const [result] = await infer(this.#model(), this.#engine, request);
      return result as ImageResult;
    });
  }

  #throwIfCancelled(id: number): void {
    if (this.#cancelled.delete(id) || this.#closing.signal.aborted) throw abortedError();
  }

  #model(): HostedModel {
    if (this.#loaded === null) throw internalError("a run reached the worker before a model was open");
    return this.#loaded;
  }
}

/** Whether it holds memory until it is closed. */
function isOpenPicture(value: unknown): value is ImageBitmap | VideoFrame {
  return value instanceof ImageBitmap || isVideoFrame(Object(value));
}

function tensorArrays(tensors: Tensors): ArrayBufferView<ArrayBuffer>[] {
  return Object.values(tensors).map(({ data }) => data);
}
