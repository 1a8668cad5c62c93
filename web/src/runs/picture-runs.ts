// Runs a model on pictures: packs them for the worker, groups them by input size, and runs each group in batches.

import { proxy, transfer } from "comlink";
import { internalError, type WebbuildError } from "../api/errors.js";
import { isStateReset, type ModelState, takesNoBatch } from "../api/state.js";
import type {
  ImageSource,
  PictureSize,
  PreprocessOptions,
  Result,
  RunOptions,
  RunSource,
  SliceOptions,
  TensorData,
} from "../api/types.js";
import type { WorkerCall } from "../fallback/resilient-session.js";
import type { Manifest } from "../manifest/manifest.js";
import { requestedSize } from "../preprocess/fitting-size.js";
import { checkPictureCount, runInput } from "../preprocess/image-input.js";
import { closeImages, packImages, rethrowOtherOrigin } from "../preprocess/image-source.js";
import { withOptionPictures } from "../preprocess/option-pictures.js";
import { type PackedPicture, transferableImages } from "../preprocess/pixels.js";
import { slicedTask } from "../tasks/task-options.js";
import { rejectOnAbort } from "../worker/reject-on-abort.js";
import type { WorkerRunOptions } from "../worker/worker-run-options.js";
import type { ModelStage } from "./model-stage.js";
import { type RunOrder, type Work, withTurn } from "./run-turns.js";
import { runInSlices, type SliceRunner } from "./sliced-run.js";
import { tileListener } from "./tile-listener.js";
import type { SizedPictures } from "./variant-choice.js";

/** The options that are sent to the worker, and `onTile`. */
type CallOptions = WorkerRunOptions & Pick<RunOptions, "onTile">;

export class PictureRuns {
  readonly #stage: ModelStage;

  constructor(stage: ModelStage) {
    this.#stage = stage;
  }

  /** Returns the result of a picture or stack; for several pictures, an array of results. */
  async run(source: RunSource, options: RunOptions, state: ModelState | null): Promise<Result> {
    const { slices } = options;
    const several = slices === undefined && this.#isBatch(source);
    if (several && state !== null) throw takesNoBatch();
    const sources = several ? source : checkPictureCount(runInput(this.#stage.manifest.inputs), source);
    const results =
      slices === undefined
        ? await withTurn(state, (turn) => this.#runAll(sources, several, options, turn))
        : await this.#runInSlices(sources, slices, options);
    this.#recordResults(results);
    const [result] = results;
    if (result === undefined) throw internalError("a run without a result");
    // The generated types of a bundle with batches declare the array.
    return several ? (results as unknown as Result) : result;
  }

  #runAll(
    sources: readonly ImageSource[],
    several: boolean,
    options: RunOptions,
    turn: RunOrder["turn"],
  ): Promise<Result[]> {
    const { signal, size, state: _state, slices: _slices, onProgress: _onProgress, ...thresholds } = options;
    const requested = requestedSize(this.#stage.choice.sizes, size);
    return withOptionPictures(this.#stage.manifest, thresholds, (packed) =>
      this.#withPictures(sources, requested, signal, async (chosen) =>
        this.#runInBatches(chosen, several, await packed, { turn, signal }),
      ),
    );
  }

  /** Returns the result of each picture, after running all its slices. */
  #runInSlices(
    sources: readonly ImageSource[],
    slices: SliceOptions,
    options: RunOptions,
  ): Promise<Result[]> {
    const request = { task: slicedTask(this.#stage.manifest), slices, onProgress: options.onProgress };
    const runner: SliceRunner = {
      batchOf: (left) => this.#stage.choice.largestBatch(left),
      run: (pictures) => this.#runAll(pictures, true, options, null),
    };
    return Promise.all(sources.map((source) => runInSlices(source, request, runner)));
  }

  /** Returns the tensor that run() would feed for the picture. */
  preprocess(source: RunSource, { size, signal }: PreprocessOptions): Promise<TensorData> {
    const sources = checkPictureCount(runInput(this.#stage.manifest.inputs), source);
    const requested = requestedSize(this.#stage.choice.sizes, size);
    return this.#withPictures(sources, requested, signal, async ([chosen]) => {
      if (chosen === undefined) throw internalError("no picture to prepare");
      const { pictures } = chosen;
      const call: WorkerCall<TensorData> = (host) =>
        host.preprocess(transfer(pictures, transferableImages(pictures))).catch(rethrowOtherOrigin);
      const session = this.#stage.sessions.open(this.#stage.choice.variantOf(chosen.size, 1));
      return (await rejectOnAbort(session, signal)).call(call, () => null, signal);
    });
  }

  /** Whether `source` is a batch, each picture with its own result: neither a single picture nor a stack. */
  #isBatch(source: RunSource): source is readonly ImageSource[] {
    return this.#stage.choice.batches.length > 1 && Array.isArray(source) && source.length > 0;
  }

  /** Packs the pictures and passes them to `work`, grouped by input size: the requested size, else the best for each. */
  async #withPictures<T>(
    sources: readonly ImageSource[],
    requested: PictureSize | null,
    signal: AbortSignal | undefined,
    work: (chosen: SizedPictures[]) => Promise<T>,
  ): Promise<T> {
    const { session: first } = this.#stage;
    first.check(signal);
    const decodesFiles = requested === null && this.#stage.choice.sizes.length > 1;
    const { takesFrames, takesWrapped } = first.loaded;
    const packing = { asFrames: takesFrames, decodesFiles, wraps: takesWrapped };
    const { pictures, transferables } = await packImages(sources, packing);
    try {
      const isStack = runInput(this.#stage.manifest.inputs).count !== null;
      return await work(this.#stage.choice.bySize(pictures, requested, isStack));
    } finally {
      // Transferred pictures are detached by now. The others are closed: garbage collection is too late.
      closeImages(transferables);
    }
  }

  /** Runs each group in the largest batches that its pictures fill. A stack is one picture. */
  async #runInBatches(
    chosen: readonly SizedPictures[],
    several: boolean,
    options: CallOptions,
    order: RunOrder,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const { size, pictures, indices } of chosen) {
      for (let begin = 0; begin < pictures.length; ) {
        const left = pictures.length - begin;
        const batch = several ? this.#stage.choice.largestBatch(left) : 1;
        const count = several ? batch : left;
        const own = pictures.slice(begin, begin + count);
        const found = await this.#runTogether(this.#stage.choice.variantOf(size, batch), own, options, order);
        for (const [at, result] of found.entries()) results[indices[begin + at] ?? 0] = result;
        begin += count;
      }
    }
    return results;
  }

  async #runTogether(
    variant: Manifest,
    pictures: PackedPicture[],
    { onTile, ...options }: CallOptions,
    order: RunOrder,
  ): Promise<Result[]> {
    const { signal } = order;
    const work: Work<Result[]> = (session, id, from) => {
      const call = (own: PackedPicture[]): WorkerCall<Result[]> => {
        return (host) => {
          const listener = onTile === undefined ? null : proxy(tileListener(onTile, signal));
          const moved = transfer(own, transferableImages(own));
          return host.run(id, moved, options, from(), listener).catch(rethrowOtherOrigin);
        };
      };
      const retry = (error: WebbuildError): WorkerCall<Result[]> | null =>
        error.pictures.length === 0 ? null : call([...error.pictures]);
      return session.call(call(pictures), retry, signal);
    };
    const startsFromZeros = (results: Result[]): boolean =>
      results.some(({ warnings }) => warnings.some(isStateReset));
    const { answer, warnings } = await this.#stage.turns.run(variant, order, work, startsFromZeros);
    return answer.map((result) => ({ ...result, warnings: [...result.warnings, ...warnings] }));
  }

  /** Updates `model.warnings`, `model.info()` and the last timings. */
  #recordResults(results: readonly Result[]): void {
    const { session: first } = this.#stage;
    const { info } = first.loaded;
    for (const { warnings, preprocess, postprocess, timings } of results) {
      first.warn(warnings);
      this.#stage.lastTimings = timings;
      [info.preprocess, info.postprocess] = [preprocess, postprocess];
    }
  }
}
