// The worker's side of a model: the page's calls, one at a time.

import { finalizer, releaseProxy } from "comlink";
import { internalError, WebbuildError } from "../api/errors.js";
import type { Result, TensorData, Tensors, Warning } from "../api/types.js";
import type { Warn } from "../api/warn.js";
import type { EnginePage, SharedEngine } from "../engine/shared-engine.js";
import { wasmBytes } from "../engine/wasm-memory.js";
import { ReferenceFeeds } from "../inputs/reference-input.js";
import { pictureBatch } from "../manifest/variants.js";
import {
  closePictures,
  isOpenPicture,
  type PackedPicture,
  type Picture,
  withDecoded,
} from "../preprocess/pixels.js";
import { withUnwrapped } from "../preprocess/wrapped-picture.js";
import type { ProgressCallback } from "../session/load-progress.js";
import { type SessionRequest, type SessionSetup, setUpSession } from "../session/session-setup.js";
import { type SavedState, type StateRequest, StreamStates } from "../session/stream-states.js";
import { taskOf } from "../tasks/registry.js";
import { isOnGpu } from "../tensors/gpu-tensor.js";
import type { TokenizerFiles } from "../text/text-tokenizer.js";
import { tilingOf } from "../tiles/tiling.js";
import { HeldLock } from "./held-lock.js";
import { HostTurns } from "./host-turns.js";
import type { HostedModel, ModelDescription } from "./hosted-model.js";
import { type InferenceRequest, infer } from "./infer.js";
import { movedResult, movedTensors } from "./moved-results.js";
import { preparePictures } from "./prepare-pictures.js";
import { Queue } from "./queue.js";
import { SceneHost } from "./scene-host.js";
import { type RunTile, runInTiles, type TileListener } from "./tiled-run.js";
import { timedRun } from "./timed-run.js";
import { withTransfer } from "./transfer.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

export class WorkerHost {
  /** The calls of a model of several stages. */
  readonly scenes: SceneHost;
  readonly #engine: SharedEngine;
  readonly #turns: HostTurns;
  /**
   * One tiled run at a time, so that memory holds one result. Each tile waits for its turn in the engine's
   * queue.
   */
  readonly #tiled = new Queue();
  readonly #lock = new HeldLock();
  #loading: Promise<SessionSetup> | null = null;
  #released: Promise<void> | null = null;

  constructor(engine: SharedEngine) {
    this.#engine = engine;
    this.#turns = new HostTurns(engine);
    this.scenes = new SceneHost(this.#turns);
  }

  /** Answers as soon as the worker runs. Returns whether it now holds this lock. */
  ready(lock: string): Promise<boolean> {
    return this.#lock.hold(lock);
  }

  /** Returns the bytes of WebAssembly's memory in this worker. */
  wasmBytes(): number {
    return wasmBytes();
  }

  /** Loads the model. `onWarning` gets the first warning of each code, also after loading. */
  async open(
    request: SessionRequest,
    onProgress: ProgressCallback | null,
    onWarning: (warning: Warning) => unknown,
    page: EnginePage,
  ): Promise<ModelDescription> {
    const warnings: Warning[] = [];
    const warn: Warn = (warning) => {
      if (warnings.some(({ code }) => code === warning.code)) return;
      warnings.push(warning);
      void onWarning(warning);
    };
    this.#loading = setUpSession(request, onProgress, warn, this.#engine, this.#turns.closing, page);
    const { info, takesFrames, takesWrapped, ...hosted } = await this.#loading;
    const { manifest, backend } = request;
    const modelId = this.#engine.nextModelId();
    const states = new StreamStates(manifest.inputs);
    const references = new ReferenceFeeds(manifest.inputs);
    this.#turns.open({ manifest, backend, modelId, states, references, ...hosted });
    return { info, takesFrames, takesWrapped, modelId, warnings };
  }

  /** Frees the memory of the model, after the current run. Other models of the worker stay. */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  /** Comlink calls this if the page drops the model without release(). */
  [finalizer](): void {
    this.release().catch(() => {});
  }

  async #release(): Promise<void> {
    this.#lock.release();
    this.#turns.close();
    const loaded = await this.#loading?.catch(() => null);
    if (loaded === null || loaded === undefined) return;
    await this.#engine.queue.add(() => {
      const { states, modelId } = this.#turns.model;
      states.release();
      this.#engine.scenes.releaseAll(modelId);
      return loaded.predictor.release().finally(() => loaded.preprocessor.release());
    });
  }

  /**
   * Runs the model. `state` is the state to read, null for a model without state; `onTile` gets the tiles. If
   * the run fails, the pictures are returned with the error, else they are closed. Pictures among the options
   * are always closed.
   */
  async run(
    id: number,
    pictures: readonly PackedPicture[],
    options: WorkerRunOptions,
    state: StateRequest | null,
    onTile: TileListener | null = null,
  ): Promise<Result[]> {
    try {
      const results = await this.#runPictures(id, pictures, options, state, onTile);
      closePictures(pictures);
      return results;
    } catch (error) {
      if (error instanceof WebbuildError && error.code !== "aborted") throw withPictures(error, pictures);
      closePictures(pictures);
      throw error;
    } finally {
      this.#turns.end(id);
      closePictures(Object.values(options).filter(isOpenPicture));
      (onTile as { [releaseProxy]?(): void } | null)?.[releaseProxy]?.();
    }
  }

  /** Cancels a run that has not started; for a tiled run, the tiles that have not. */
  cancel(id: number): void {
    this.#turns.cancel(id);
  }

  preprocess(pictures: readonly PackedPicture[]): Promise<TensorData> {
    return this.#engine.queue.add(async () => {
      try {
        const model = this.#turns.model;
        const { tensor } = await withUnwrapped(pictures, (opened) =>
          preparePictures(model, opened, pictureBatch(model.manifest)),
        );
        const read = isOnGpu(tensor) ? await this.#engine.gpu.guard(tensor.read) : tensor;
        return withTransfer(read, [read.data]);
      } finally {
        closePictures(pictures);
      }
    });
  }

  /** Runs the graph on tensors. A state among the feeds replaces the stream's. */
  runTensors(id: number, feeds: Tensors, state: StateRequest | null): Promise<Tensors> {
    return this.#turns.run(id, async ({ predictor, states }) => {
      const begun = state && states.begin(state, null);
      const run = await predictor.runRaw({ ...begun?.feeds, ...feeds });
      if (state) states.keep(state.stream, id, { tensors: run.states, size: null });
      return movedTensors(run.outputs);
    });
  }

  /** Returns the files of a text encoder's tokenizer, which runs in its own worker. */
  tokenizerFiles(): Promise<TokenizerFiles> {
    return this.#engine.queue.add(async () => {
      const { script, content } = this.#turns.model.tools as TokenizerFiles;
      const copy = content.slice();
      return withTransfer({ script, content: copy }, [copy]);
    });
  }

  /**
   * Returns the milliseconds of a run on synthetic inputs, null for a model that needs real ones. Changes no
   * state.
   */
  timedRun(): Promise<number | null> {
    return this.#engine.queue.add(() => timedRun(this.#turns.model, this.#engine));
  }

  /** Returns a copy of the state after a run. */
  readState(stream: number, run: number): Promise<SavedState> {
    return this.#engine.queue.add(() => {
      const { states } = this.#turns.model;
      const read = (): Promise<SavedState> => states.read(stream, run);
      return states.isOnGpu(stream, run) ? this.#engine.gpu.guard(read) : read();
    });
  }

  /** Frees the state of a stream. */
  dropState(stream: number): Promise<void> {
    return this.#engine.queue.add(async () => this.#turns.model.states.drop(stream));
  }

  /** Runs the pictures in tiles if the options say so, else whole. */
  async #runPictures(
    id: number,
    pictures: readonly PackedPicture[],
    options: WorkerRunOptions,
    state: StateRequest | null,
    onTile: TileListener | null,
  ): Promise<Result[]> {
    const [picture] = pictures;
    // A state belongs to whole pictures: each tile would need its own.
    const tiling = state === null ? tilingOf(this.#turns.model.manifest, pictures, options) : null;
    if (tiling === null || picture === undefined)
      return this.#turns.add(id, (model) =>
        withUnwrapped(pictures, (opened) =>
          runWhole(model, this.#engine, { id, pictures: opened, options, state }),
        ),
      );
    const runTile: RunTile = (tile, own) => this.#runTile(id, tile, own);
    return this.#tiled.add(() =>
      withUnwrapped([picture], async ([opened]) => {
        if (opened === undefined) throw internalError("a run in tiles without a picture");
        const request = { picture: opened, tiling, options, onTile };
        return runInTiles(this.#turns.model.manifest, request, runTile);
      }),
    );
  }

  /** Runs a tile. Other runs get their turn between tiles, and the run may be cancelled there. */
  #runTile(id: number, tile: ImageData, options: WorkerRunOptions): Promise<Result> {
    return this.#turns.add(id, async (model) => {
      const { results } = await infer(model, this.#engine, { id, pictures: [tile], options, state: null });
      const [result] = results;
      if (result === undefined) throw internalError("a tile without a result");
      return result;
    });
  }
}

/** Returns the error of a run with its pictures. A copy: all runs on a lost device reject with the same error. */
function withPictures(
  { code, message, fix, stack }: WebbuildError,
  pictures: readonly PackedPicture[],
): WebbuildError {
  return Object.assign(new WebbuildError(code, message, fix), { stack, pictures });
}

async function runWhole(
  model: HostedModel,
  engine: SharedEngine,
  request: InferenceRequest,
): Promise<Result[]> {
  const { readsPicture } = taskOf(model.manifest);
  const run = async (pictures: readonly Picture[]): Promise<Result[]> =>
    (await infer(model, engine, { ...request, pictures })).results;
  const results = await (readsPicture ? withDecoded(request.pictures, run) : run(request.pictures));
  return movedResult(model, results);
}
