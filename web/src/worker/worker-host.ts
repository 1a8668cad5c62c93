// The worker's side of a model: what the page may ask, answered one at a time.

import { finalizer, releaseProxy } from "comlink";
import { abortedError, internalError, WebbuildError } from "../api/errors.js";
import type { ImageResult, Result, RunOptions, TensorData, Tensors, Warning } from "../api/types.js";
import type { SharedEngine } from "../engine/shared-engine.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { maskFeeds, readHole } from "../inputs/mask-input.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { sizeFeeds } from "../inputs/size-inputs.js";
import { optionFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { forOnePicture, pictureBatch, pictureSize } from "../manifest/variants.js";
import { neededOutputs } from "../postprocess/decode.js";
import { runGpuOutputs } from "../postprocess/gpu-postprocess.js";
import { type PostprocessResult, postprocess } from "../postprocess/postprocess.js";
import { type CpuPreprocessedInput, preprocessOnCpu } from "../preprocess/cpu-preprocess.js";
import { runInput } from "../preprocess/image-input.js";
import type { Geometry } from "../preprocess/letterbox.js";
import { closePictures, isVideoFrame, type Picture, sizeOf, withDecoded } from "../preprocess/pixels.js";
import type { PreprocessedInput } from "../preprocess/preprocess.js";
import type { ProgressCallback } from "../session/load-progress.js";
import type { Prediction } from "../session/predictor.js";
import { type SessionRequest, type SessionSetup, setUpSession } from "../session/session-setup.js";
import { type SavedState, type StateRequest, StreamStates } from "../session/stream-states.js";
import { taskContext, taskOf } from "../tasks/registry.js";
import { taskOptionNames } from "../tasks/task-options.js";
import { concatenated, outputsOf } from "../tensors/batch.js";
import { isOnGpu } from "../tensors/gpu-tensor.js";
import { tilingOf } from "../tiles/tiling.js";
import { Queue } from "./queue.js";
import { runInTiles, type TileListener } from "./tiled-run.js";
import { withTransfer } from "./transfer.js";
import type { Warn } from "./with-limit.js";

/** A run's options without what cannot cross into a worker. */
export type WorkerRunOptions = Omit<RunOptions, "signal" | "state" | "onTile">;

type HostedModel = Omit<SessionSetup, "info" | "takesFrames"> & { manifest: Manifest; states: StreamStates };

/** What the worker reports to the page about a model. */
type ModelDescription = Pick<SessionSetup, "info" | "takesFrames"> & { warnings: Warning[] };

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
        const { tensor } = await this.#prepare(pictures, pictureBatch(this.#model().manifest));
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
    const { transfer, readsPicture } = taskOf(this.#model().manifest);
    const infer = (own: readonly Picture[]): Promise<Result[]> => this.#infer(id, own, options, state);
    const results = await (readsPicture ? withDecoded(pictures, infer) : infer(pictures));
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
      const [result] = await this.#infer(id, [tile], options, null);
      return result as ImageResult;
    });
  }

  /** Returns the result of the picture or stack; of a batch, of each picture. */
  async #infer(
    id: number,
    pictures: readonly Picture[],
    options: WorkerRunOptions,
    state: StateRequest | null,
  ): Promise<Result[]> {
    const started = performance.now();
    const { manifest, predictor, states, tools, postprocessor } = this.#model();
    const batch = pictureBatch(manifest);
    const alone = forOnePicture(manifest);
    for (const picture of pictures)
      if (!(picture instanceof Blob)) taskOf(manifest).checkPicture?.(manifest.task, sizeOf(picture));
    const { name, tensor, geometries, route: preprocessRoute } = await this.#prepare(pictures, batch);
    const [geometry] = geometries;
    const [first] = pictures;
    if (geometry === undefined || first === undefined) throw internalError("a run without a picture");
    const { mask: given } = options;
    const hole = given === undefined ? null : readHole(given, geometry.source);
    const context = taskContext(alone, hole === null ? options : { ...options, mask: hole.data }, tools);
    const masked = maskFeeds(manifest.inputs, hole, geometry);
    const seen =
      masked === null || masked.empty === null ? tensor : await this.#emptied(tensor, masked.empty);
    const ready = performance.now();
    const optionTensors = {
      ...optionFeeds(manifest.inputs, options, taskOptionNames(manifest)),
      ...focusFeeds(manifest.inputs, options.focusDistances),
      ...numberFeeds(manifest.inputs, options.numbers),
      ...masked?.feeds,
      ...sizeFeeds(manifest.inputs, geometry.source),
      ...taskOf(manifest).feeds?.(manifest, context),
    };
    const begun = state && states.begin(state, geometry.source);
    const feeds = { ...optionTensors, ...begun?.feeds, [name]: seen };
    const gpuOutputs = runGpuOutputs(postprocessor, alone, context);
    const { outputs, backend, fallback, ...left } = await predictor.predict(
      feeds,
      neededOutputs(alone, context),
      gpuOutputs,
    );
    if (state) states.keep(state.stream, id, { tensors: left.states, size: geometry.source });
    const inferred = performance.now();
    const postprocessing = (): Promise<PostprocessResult[]> =>
      Promise.all(
        geometries.map((each, at) => {
          const own = batch > 1 ? outputsOf(outputs, at, batch) : outputs;
          return postprocess(postprocessor, alone, own, each, context, pictures[at] ?? first);
        }),
      );
    const found = await (gpuOutputs.length > 0 ? this.#engine.gpu.guard(postprocessing) : postprocessing());
    const ended = performance.now();
    const timings = {
      preprocess: ready - started,
      inference: inferred - ready,
      postprocess: ended - inferred,
      total: ended - started,
    };
    return found.map(({ decoded, route, warnings }) => ({
      ...decoded,
      size: pictureSize(manifest) ?? [0, 0],
      timings,
      preprocess: preprocessRoute,
      postprocess: route,
      backend,
      fallback,
      warnings: [...warnings, ...fallbackWarnings(fallback), ...(begun?.warnings ?? [])],
    }));
  }

  /** The picture's tensor after `empty` has changed it, wherever it lies. */
  async #emptied(
    tensor: PreprocessedInput["tensor"],
    empty: (tensor: TensorData) => void,
  ): Promise<PreprocessedInput["tensor"]> {
    const { manifest, preprocessor } = this.#model();
    const read = isOnGpu(tensor) ? await tensor.read() : tensor;
    empty(read);
    const { name } = runInput(manifest.inputs);
    return preprocessor.upload({ [name]: read })[name] ?? read;
  }

  async #prepare(
    pictures: readonly Picture[],
    batch: number,
  ): Promise<Omit<PreprocessedInput, "geometry"> & { geometries: Geometry[] }> {
    const { manifest, preprocessor } = this.#model();
    if (batch === 1) {
      const { geometry, ...prepared } = await preprocessor.preprocess(pictures);
      return { ...prepared, geometries: [geometry] };
    }
    const { inputs } = forOnePicture(manifest);
    const prepared: CpuPreprocessedInput[] = [];
    for (const picture of pictures) prepared.push(await preprocessOnCpu(inputs, [picture]));
    return {
      name: prepared[0]?.name ?? "",
      tensor: concatenated(prepared.map(({ tensor }) => tensor)),
      geometries: prepared.map(({ geometry }) => geometry),
      route: preprocessor.defaultRoute,
    };
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

function fallbackWarnings(fallback: Prediction["fallback"]): Warning[] {
  if (fallback === null) return [];
  const message = `the run was repeated on ${fallback.target}: ${fallback.reason}`;
  const fix = "raise the confidence threshold, or pack the model again with --nms cpu";
  return [{ code: "ran-fallback", message, fix }];
}
