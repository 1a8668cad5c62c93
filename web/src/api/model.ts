// A loaded model, as the page sees it.

import { proxy, transfer } from "comlink";
import { type ResilientSession, rejectOnAbort, type WorkerCall } from "../fallback/recovery.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { checkMask } from "../inputs/mask-input.js";
import { numberFeeds } from "../inputs/number-inputs.js";
import { stateInputs } from "../inputs/state-inputs.js";
import { completeFeeds, optionFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureBatch, pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { fittingSize, requestedSize } from "../preprocess/fitting-size.js";
import { checkPictureCount, runInput } from "../preprocess/image-input.js";
import { blamingOrigin, closeImages, packImages } from "../preprocess/image-source.js";
import { withOptionPictures } from "../preprocess/option-pictures.js";
import { type Picture, sizeOf, transferableImages } from "../preprocess/pixels.js";
import type { StateRequest } from "../session/stream-states.js";
import { checkTaskOptions, taskOptionNames } from "../tasks/task-options.js";
import { OrderedResults } from "../worker/queue.js";
import type { WorkerRunOptions } from "../worker/worker-host.js";
import { guarded, internalError, WebbuildError } from "./errors.js";
import { checkRunOptions, checkTensorRunOptions } from "./options.js";
import { hasNoState, isStateReset, ModelState, type StateTurn, takesNoBatch } from "./state.js";
import { requireListener, requireVideo, Stream } from "./stream.js";
import type {
  Backend,
  ImageSource,
  ModelInfo,
  PictureSize,
  Result,
  RunOptions,
  RunSource,
  StateSnapshot,
  StreamedFrame,
  TensorData,
  TensorRunOptions,
  Tensors,
  TileResult,
  Warning,
} from "./types.js";

/** A loaded model. `load()` makes it. */
export class Model {
  readonly manifest: Manifest;
  /** Width and height of the pictures that it runs at, as `run()` takes them; none where it takes no picture. */
  readonly sizes: readonly PictureSize[];
  /** How many pictures are run together: more than 1 where it is packed so. */
  readonly batches: readonly number[];
  /** The state that run() and runTensors() read and write by default. Null for a model without state. */
  readonly state: ModelState | null;
  readonly #sessions: VariantSessions;
  readonly #session: ResilientSession;
  readonly #ordered = new OrderedResults();
  #runs = 0;
  #states = 0;

  private constructor(manifest: Manifest, sessions: VariantSessions) {
    this.manifest = manifest;
    this.sizes = pictureSizes(sessions.variants);
    this.batches = [...new Set(sessions.variants.map(pictureBatch))].sort((a, b) => a - b);
    this.#sessions = sessions;
    this.#session = sessions.first;
    this.state = stateInputs(manifest.inputs).length > 0 ? this.newState() : null;
  }

  /** @internal */
  static of(manifest: Manifest, sessions: VariantSessions): Model {
    return new Model(manifest, sessions);
  }

  /** Where the model runs now, at the size that was loaded first: with "auto" a kernel that fails on the GPU takes it to WASM. */
  get backend(): Backend {
    return this.#session.loaded.candidate.backend;
  }

  /** Why this backend, in one sentence. */
  get reason(): string {
    return this.#session.loaded.candidate.reason;
  }

  /** Of loading and of all runs so far, each code once. */
  get warnings(): readonly Warning[] {
    return this.#session.warnings;
  }

  info(): ModelInfo {
    return structuredClone(this.#session.loaded.info);
  }

  /**
   * Runs the model on a picture, or on an array of them where it takes a stack. Of a model that is packed for several
   * pictures, `batches`, an array of pictures gives an array of results, each as from a run of its own. Runs are answered in order; one that
   * fails does not touch the next. Where the GPU is lost, the engine is started again and the run repeated, once. The first
   * run at another size loads that. A model with state reads what the previous run with the same `options.state` wrote;
   * if the picture's size changes, the state starts from zeros.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(guarded(() => this.#run(source, options)));
  }

  async #run(source: RunSource, options: RunOptions): Promise<Result> {
    checkRunOptions(this.manifest, options);
    const { signal, size, state: _, ...thresholds } = options;
    optionFeeds(this.manifest.inputs, thresholds, taskOptionNames(this.manifest));
    checkTaskOptions(this.manifest, options);
    focusFeeds(this.manifest.inputs, thresholds.focusDistances);
    numberFeeds(this.manifest.inputs, thresholds.numbers);
    checkMask(this.manifest.inputs, thresholds.mask);
    const several = this.#isBatch(source);
    const state = this.#stateOf(options.state);
    if (several && state !== null) throw takesNoBatch();
    const sources = several ? source : checkPictureCount(runInput(this.manifest.inputs), source);
    const results = await takingTurn(state, (turn) =>
      withOptionPictures(this.manifest, thresholds, (packed) =>
        this.#withPictures(sources, requestedSize(this.sizes, size), signal, (chosen) =>
          this.#runInBatches(chosen, several, packed, turn, signal),
        ),
      ),
    );
    const { info } = this.#session.loaded;
    for (const { warnings, preprocess, postprocess } of results) {
      this.#session.warn(warnings);
      [info.preprocess, info.postprocess] = [preprocess, postprocess];
    }
    const [result] = results;
    if (result === undefined) throw internalError("a run without a result");
    // The types of a bundle that is packed for several pictures say so.
    return several ? (results as unknown as Result) : result;
  }

  /** Whether it is several pictures of which each is to get a result, not one picture or a stack. */
  #isBatch(source: RunSource): source is readonly ImageSource[] {
    return this.batches.length > 1 && Array.isArray(source) && source.length > 0;
  }

  /** Runs pictures of one size together, in the largest batches that are left to fill; a stack is one picture. */
  async #runInBatches(
    chosen: readonly SizedPictures[],
    several: boolean,
    options: CallOptions,
    turn: StateTurn | null,
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    const results: Result[] = [];
    for (const { size, pictures, places } of chosen) {
      for (let begin = 0; begin < pictures.length; ) {
        const left = pictures.length - begin;
        const batch = several ? Math.max(...this.batches.filter((each) => each <= left)) : 1;
        const count = several ? batch : left;
        const own = pictures.slice(begin, begin + count);
        const found = await this.#runTogether(this.#variantOf(size, batch), own, options, turn, signal);
        for (const [at, result] of found.entries()) results[places[begin + at] ?? 0] = result;
        begin += count;
      }
    }
    return results;
  }

  async #runTogether(
    variant: Manifest,
    pictures: Picture[],
    options: CallOptions,
    turn: StateTurn | null,
    signal: AbortSignal | undefined,
  ): Promise<Result[]> {
    const { onTile, ...rest } = options;
    const work: Work<Result[]> = (session, id, from) => {
      const call = (own: Picture[]): WorkerCall<Result[]> => {
        return (host) => {
          const listener = onTile === undefined ? null : proxy(tileListener(onTile, signal));
          const moved = transfer(own, transferableImages(own));
          return host.run(id, moved, rest, from(), listener).catch(blamingOrigin);
        };
      };
      const retry = (error: WebbuildError): WorkerCall<Result[]> | null =>
        error.pictures.length === 0 ? null : call([...error.pictures]);
      return session.call(call(pictures), retry, signal);
    };
    const begins = (results: Result[]): boolean =>
      results.some(({ warnings }) => warnings.some(isStateReset));
    const { answer, warnings } = await this.#inTurn(variant, turn, signal, work, begins);
    return answer.map((result) => ({ ...result, warnings: [...result.warnings, ...warnings] }));
  }

  /** Does a run when its turn has come; if `signal` aborts it, the worker is told. */
  async #inTurn<T>(
    variant: Manifest,
    turn: StateTurn | null,
    signal: AbortSignal | undefined,
    work: Work<T>,
    begins: (answer: T) => boolean,
  ): Promise<{ answer: T; warnings: Warning[] }> {
    const id = this.#runs++;
    const session = await rejectOnAbort(this.#sessions.open(variant), signal);
    const run = (from: () => StateRequest | null): Promise<T> =>
      work(session, id, from).catch((error: unknown) => {
        if (signal?.aborted) cancel(session, id);
        throw error;
      });
    if (turn === null) return { answer: await run(() => null), warnings: [] };
    await rejectOnAbort(turn.begun, signal);
    return turn.state.advance(id, variant, session, run, begins);
  }

  /**
   * Runs the model on a video's frames, one at a time; frames that come meanwhile are dropped. Waits for what
   * `onResult` returns. Ends with the video, by `stop()` or by `options.signal`. If the model has state, each
   * stream has its own, which starts from zeros, and again when the video's source or size changes.
   */
  stream(
    video: HTMLVideoElement,
    onResult: (result: Result, frame: StreamedFrame) => void | Promise<void>,
    options: RunOptions = {},
  ): Stream {
    requireVideo(video);
    requireListener(onResult);
    checkRunOptions(this.manifest, options);
    this.#session.check();
    const own = this.#ownState(options);
    const state = own ?? options.state ?? null;
    const run = (source: HTMLVideoElement, signal: AbortSignal): Promise<Result> =>
      this.run(source, { ...options, signal, state: state ?? undefined });
    return new Stream(video, run, onResult, options.signal, { state, own: own !== null });
  }

  /** Returns what run() would feed for the picture. */
  preprocess(source: RunSource, { size }: Pick<RunOptions, "size"> = {}): Promise<TensorData> {
    return guarded(() => {
      const sources = checkPictureCount(runInput(this.manifest.inputs), source);
      return this.#withPictures(sources, requestedSize(this.sizes, size), undefined, async ([chosen]) => {
        if (chosen === undefined) throw internalError("no picture to prepare");
        const { pictures } = chosen;
        const call: WorkerCall<TensorData> = (host) =>
          host.preprocess(transfer(pictures, transferableImages(pictures))).catch(blamingOrigin);
        return (await this.#sessions.open(this.#variantOf(chosen.size, 1))).call(call, () => null);
      });
    });
  }

  /**
   * Runs the graph of this backend on tensors and returns all its outputs as they are. Options may be left out. Of several
   * sizes it is the one of the tensors. A model with state reads what the previous run with the same
   * `options.state` wrote, unless the state is among the tensors.
   */
  runTensors(feeds: Tensors, options: TensorRunOptions = {}): Promise<Tensors> {
    return this.#ordered.add(guarded(() => this.#runTensors(feeds, options)));
  }

  /**
   * Runs the model on frames in sequence, such as those of audio, and yields the outputs of each. The state starts from
   * zeros, unless `options.state` is given.
   */
  async *streamTensors(
    frames: Iterable<Tensors> | AsyncIterable<Tensors>,
    options: TensorRunOptions = {},
  ): AsyncGenerator<Tensors, void, undefined> {
    const own = this.#ownState(options);
    const state = own ?? options.state;
    try {
      for await (const feeds of frames) yield await this.runTensors(feeds, { ...options, state });
    } finally {
      await own?.release();
    }
  }

  /** Returns a new state, for `options.state`: each sequence of frames needs its own. */
  newState(): ModelState {
    if (stateInputs(this.manifest.inputs).length === 0) throw hasNoState();
    return ModelState.of(this.#sessions, this.#states++);
  }

  /** Sets the state to zeros: `model.state.reset()`. Does nothing for a model without state. */
  async reset(): Promise<void> {
    await this.state?.reset();
  }

  /** Returns the state after the runs so far: `model.state.snapshot()`. */
  async snapshot(): Promise<StateSnapshot> {
    if (this.state === null) throw hasNoState();
    return this.state.snapshot();
  }

  /** Sets the state to a snapshot: `model.state.restore()`. */
  async restore(snapshot: StateSnapshot): Promise<void> {
    if (this.state === null) throw hasNoState();
    await this.state.restore(snapshot);
  }

  async #runTensors(feeds: Tensors, options: TensorRunOptions): Promise<Tensors> {
    checkTensorRunOptions(this.manifest, options);
    const { signal } = options;
    const state = this.#stateOf(options.state);
    const [first = this.manifest, ...others] = this.#sessions.variants;
    const variant = [first, ...others].find(({ inputs }) => haveShapes(inputs, feeds)) ?? first;
    const complete = completeFeeds(variant.inputs, feeds);
    for (const { name } of stateInputs(variant.inputs)) if (feeds[name] === undefined) delete complete[name];
    const work: Work<Tensors> = (session, id, from) => {
      const call: WorkerCall<Tensors> = (host) => host.runTensors(id, complete, from());
      return session.call(call, () => call, signal);
    };
    const { answer, warnings } = await takingTurn(state, (turn) =>
      this.#inTurn(variant, turn, signal, work, () => false),
    );
    this.#session.warn(warnings);
    return answer;
  }

  /** Returns a new state for a stream that was given none, null for a model without state. */
  #ownState({ state }: Pick<RunOptions, "state">): ModelState | null {
    return this.state === null || state !== undefined ? null : this.newState();
  }

  /** Returns the state of a run, null for a model without state. */
  #stateOf(given: ModelState | undefined): ModelState | null {
    if (given === undefined) return this.state;
    if (ModelState.isOf(given, this.#sessions)) return given;
    const fix =
      "give a state that newState() of this model returned and that was not released, or leave it out";
    throw new WebbuildError("invalid-option", "state: not a state of this model", fix);
  }

  /**
   * Releases what the model holds. The last model of an engine stops its worker, and with that the GPU device.
   * Runs under way reject with code "disposed". A second call does nothing.
   */
  async dispose(): Promise<void> {
    this.#sessions.end(
      new WebbuildError("disposed", "the model was used after dispose()", "call load() again"),
    );
  }

  /** Hands the pictures to `work`, those of one size together: the one that is asked for, else the best for each. */
  async #withPictures<T>(
    sources: readonly ImageSource[],
    asked: PictureSize | null,
    signal: AbortSignal | undefined,
    work: (chosen: SizedPictures[]) => Promise<T>,
  ): Promise<T> {
    this.#session.check(signal);
    const chooses = asked === null && this.sizes.length > 1;
    const { pictures, transferables } = await packImages(sources, this.#session.loaded.takesFrames, chooses);
    try {
      const isStack = runInput(this.manifest.inputs).count !== null;
      const chosen: SizedPictures[] = [];
      for (const [place, picture] of pictures.entries()) {
        const size = chooses ? this.#fittingSize(isStack ? (pictures[0] ?? picture) : picture) : asked;
        const same = chosen.find((each) => each.size === size);
        if (same === undefined) chosen.push({ size, pictures: [picture], places: [place] });
        else
          [same.pictures, same.places] = [
            [...same.pictures, picture],
            [...same.places, place],
          ];
      }
      return await work(chosen);
    } finally {
      // Those that moved are empty shells by now; those that did not must not be left to the garbage collector.
      closeImages(transferables);
    }
  }

  #fittingSize(picture: Picture): PictureSize | null {
    if (picture instanceof Blob) return null;
    const { width, height } = sizeOf(picture);
    return fittingSize(this.sizes, width, height);
  }

  #variantOf(size: PictureSize | null, batch: number): Manifest {
    const wanted = size ?? this.sizes[0] ?? null;
    const found = this.#sessions.variants.find((each) => {
      const own = pictureSize(each);
      const fits = wanted === null || own === null || sameSize(own, wanted);
      return fits && (pictureBatch(each) === batch || batch === 1);
    });
    if (found === undefined) throw internalError(`no graph for ${batch} pictures of ${String(wanted)}`);
    return found;
  }
}

/** Does the work of a run. For a model with state, its place in the order of runs is taken now. */
async function takingTurn<T>(
  state: ModelState | null,
  work: (turn: StateTurn | null) => Promise<T>,
): Promise<T> {
  const turn = state?.enter() ?? null;
  try {
    return await work(turn);
  } finally {
    turn?.leave();
  }
}

/** A run by its number; `from` gives the state that it reads, null for a model without state. */
type Work<T> = (session: ResilientSession, id: number, from: () => StateRequest | null) => Promise<T>;

/** A run's options, without those that say when and where it is done. */
type CallOptions = WorkerRunOptions & Pick<RunOptions, "onTile">;

/** Pictures that are run at a size, null where the model has one alone, and their places in the call. */
interface SizedPictures {
  size: PictureSize | null;
  pictures: Picture[];
  places: number[];
}

/** No tile is reported after an abort. An error that the listener throws does not end the run. */
function tileListener(
  onTile: NonNullable<RunOptions["onTile"]>,
  signal: AbortSignal | undefined,
): (tile: TileResult) => unknown {
  return async (tile) => {
    if (signal?.aborted) return tile.picture.close();
    try {
      await onTile(tile);
    } catch (error) {
      reportError(error);
    }
  };
}

function cancel(session: ResilientSession, id: number): void {
  void session.loaded.connection.call((host) => host.cancel(id)).catch(() => {});
}

/** Whether tensors are of the shapes that inputs have; those that are left out fit any. */
function haveShapes(inputs: Manifest["inputs"], feeds: Tensors): boolean {
  return inputs.every(({ name, shape }) => {
    const dims = Object(feeds)[name]?.dims;
    return !Array.isArray(dims) || dims.join() === shape.join();
  });
}
