// A loaded model: the object that `load()` returns to the page.

import { IdleChoices } from "../choice/idle-choices.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import { requireFrames } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ModelStage } from "../runs/model-stage.js";
import { PictureRuns } from "../runs/picture-runs.js";
import { TensorRuns } from "../runs/tensor-runs.js";
import { classifyPicture, embedWords, requireText } from "../text/text-calls.js";
import type { TextEncoder } from "../text/text-encoder.js";
import { StreamTracks } from "../tracking/stream-tracks.js";
import { streamOptions } from "../tracking/track-options.js";
import { OrderedResults } from "../worker/queue.js";
import { checkModelOptions, checkOptionValues } from "./check-run.js";
import { internalError, WebbuildError, wrapErrors } from "./errors.js";
import type { ModelEvents } from "./model-events.js";
import { modelInfo, modelWarning, stageForTensors, stageInfo } from "./model-stages.js";
import { ModelStates } from "./model-states.js";
import { checkObserver, checkPreprocessOptions, checkTensorRunOptions } from "./options.js";
import { plainCopy } from "./plain-copy.js";
import { reportText } from "./report.js";
import type { Scene } from "./scene.js";
import { Scenes } from "./scenes.js";
import type { ModelState } from "./state.js";
import { requireListener, requireVideo, Stream } from "./stream.js";
import type {
  Backend,
  LabelScore,
  LoadOptions,
  ModelInfo,
  PictureSize,
  PreprocessOptions,
  Result,
  RunOptions,
  RunSource,
  StateSnapshot,
  StreamedFrame,
  StreamOptions,
  TensorData,
  TensorRunOptions,
  Tensors,
  TextOptions,
  TextVector,
  Warning,
} from "./types.js";

/** A loaded model, returned by `load()`. Its events are listed in `ModelEvents`. */
export class Model extends EventTarget {
  readonly manifest: Manifest;
  /** The picture sizes (width, height) for `run()`'s `size`; empty if the model takes no picture. */
  readonly sizes: readonly PictureSize[];
  /** The batch sizes that it can run: more than 1 only if it was packed so. */
  readonly batches: readonly number[];
  /** The state that run() and runTensors() read and write by default. Null for a model without state. */
  readonly state: ModelState | null;
  readonly #session: ResilientSession;
  readonly #ordered = new OrderedResults();
  readonly #stages: readonly [ModelStage, ...ModelStage[]];
  readonly #pictureRuns: PictureRuns;
  readonly #scenes: Scenes;
  readonly #states: ModelStates;
  readonly #text: TextEncoder | null;

  private constructor(manifest: Manifest, stages: readonly ModelStage[], text: TextEncoder | null) {
    const [first, ...others] = stages;
    if (first === undefined) throw internalError("a model without a stage");
    super();
    this.manifest = manifest;
    this.sizes = first.choice.sizes;
    this.batches = first.choice.batches;
    this.#stages = [first, ...others];
    this.#pictureRuns = new PictureRuns(first);
    this.#scenes = new Scenes([first, ...others], new IdleChoices(stages));
    this.#session = first.session;
    this.#states = new ModelStates(first.sessions, manifest);
    this.state = this.#states.shared;
    for (const stage of stages) this.#listen(stage);
    this.#text = text;
    if (text !== null) text.onOpen = (stage) => this.#listen(stage);
  }

  /** @internal */
  static of(manifest: Manifest, stages: readonly ModelStage[], text: TextEncoder | null = null): Model {
    return new Model(manifest, stages, text);
  }

  /**
   * The backend of the size that was loaded first. With "auto", a kernel that fails on the GPU moves the
   * model to WASM.
   */
  get backend(): Backend {
    return this.#session.loaded.candidate.backend;
  }

  /** Why this backend, in one sentence. */
  get reason(): string {
    return this.#session.loaded.candidate.reason;
  }

  /**
   * The warnings of loading and of all runs so far, each code once. A later stage's warning begins with the
   * stage's name, and is left out if the first stage has the same.
   */
  get warnings(): readonly Warning[] {
    return this.#everyStage.flatMap((stage) =>
      stage.session.warnings.flatMap((warning) => modelWarning(this.#stages[0], stage, warning) ?? []),
    );
  }

  override addEventListener<Name extends keyof ModelEvents>(
    name: Name,
    listener: (event: ModelEvents[Name]) => void,
    options?: AddEventListenerOptions | boolean,
  ): void {
    super.addEventListener(name, listener as EventListener, options);
  }

  override removeEventListener<Name extends keyof ModelEvents>(
    name: Name,
    listener: (event: ModelEvents[Name]) => void,
    options?: EventListenerOptions | boolean,
  ): void {
    super.removeEventListener(name, listener as EventListener, options);
  }

  #listen(stage: ModelStage): void {
    stage.listen({
      onChange: () => this.dispatchEvent(new Event("change")),
      onWarning: (warning) => {
        const detail = modelWarning(this.#stages[0], stage, warning);
        if (detail !== null) this.dispatchEvent(new CustomEvent("warning", { detail }));
      },
    });
  }

  get #everyStage(): readonly ModelStage[] {
    const text = this.#text?.stage ?? null;
    return text === null ? this.#stages : [...this.#stages, text];
  }

  info(): ModelInfo {
    return modelInfo(this.#stages, this.#text?.stage ?? null);
  }

  /**
   * Returns a text to paste into an issue: the error, the browser, the GPU, versions, what runs where and
   * why, times and warnings. It contains no picture, no URL of your site and no prompt.
   */
  report(error?: unknown): string {
    const stages = this.#everyStage.map((stage) => ({ stage, info: stageInfo(stage) }));
    return reportText({ stages, warnings: this.warnings }, error);
  }

  /**
   * Runs all stages of a model but the last on a picture, once. The returned scene then runs the last stage
   * alone, as often as you like: `scene.run()`, or `scene.segment()` for a mask-generation model. Release the
   * scene when you no longer need the picture. Scenes are independent: look() may be called again before this
   * call resolves.
   */
  look(source: RunSource, options: RunOptions = {}): Promise<Scene> {
    return this.#ordered.add(wrapErrors(() => this.#scenes.look(source, plainCopy(options))));
  }

  /**
   * Runs the model on a picture, or on an array of pictures if it takes a stack. If the model is packed for
   * several pictures (see `batches`), an array of pictures returns an array of results, each the same as from
   * a single run. Runs finish in the order of the calls; a failed run does not affect the next. After a lost
   * GPU device the engine is restarted and the run repeated, once. The first run at another size loads that
   * size. A model with state reads what the previous run with the same `options.state` wrote; if the
   * picture's size changes, the state starts from zeros. A model of several stages runs them all, and takes
   * the options of the first and of the last.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(wrapErrors(() => this.#run(source, plainCopy(options))));
  }

  #run(source: RunSource, options: RunOptions): Promise<Result> {
    checkModelOptions(this.manifest, this.#stages, options);
    if (this.#stages.length > 1) return this.#scenes.run(source, options);
    checkOptionValues(this.manifest, options);
    return this.#pictureRuns.run(source, options, this.#states.ofRun(options.state));
  }

  /**
   * Runs the model on a video's frames, one at a time; frames that arrive during a run are dropped. Awaits
   * the promise that `onResult` returns. Ends with the video, by `stop()` or by `options.signal`. If the
   * model has state, each stream has its own. It starts from zeros, also when the video's source or size
   * changes. With `options.track` each detection keeps its id, `track`, from frame to frame; tracking runs in
   * its own worker.
   */
  stream(
    video: HTMLVideoElement,
    onResult: (result: Result, frame: StreamedFrame) => void | Promise<void>,
    given: StreamOptions = {},
  ): Stream {
    requireVideo(video);
    requireListener(onResult);
    const [options, tracked] = streamOptions(given);
    checkModelOptions(this.manifest, this.#stages, options);
    this.#session.check();
    const own = this.#states.ofStream(options.state);
    const state = own ?? options.state ?? null;
    const run = (source: HTMLVideoElement, signal: AbortSignal): Promise<Result> =>
      this.run(source, { ...options, signal, state: state ?? undefined });
    const tracks = tracked === null ? null : new StreamTracks(tracked);
    return new Stream(video, run, onResult, options.signal, { state, own: own !== null, tracks });
  }

  /** Loads the text encoder. Otherwise the first text waits for it. */
  async loadText(options: Pick<LoadOptions, "signal" | "onProgress"> = {}): Promise<void> {
    await wrapErrors(() => {
      checkObserver(options, "loadText()", ["signal", "onProgress"]);
      return requireText(this.#text, "loadText()").open(options);
    });
  }

  /**
   * Returns a vector of length 1 for a text: the larger its dot product with a picture's vector, the better
   * they match. For a list of texts returns one vector each. With `templates` it is the mean of the
   * templates' vectors.
   */
  embedText(words: string, options?: TextOptions): Promise<TextVector>;
  embedText(words: readonly string[], options?: TextOptions): Promise<TextVector[]>;
  embedText(
    words: string | readonly string[],
    options: TextOptions = {},
  ): Promise<TextVector | TextVector[]> {
    return wrapErrors(() => embedWords(requireText(this.#text, "embedText()"), words, options));
  }

  /** Returns a score for each label (any text) on the picture, best first. The labels' vectors are cached. */
  classify(source: RunSource, labels: readonly string[], options: TextOptions = {}): Promise<LabelScore[]> {
    const run = (): Promise<Result> => this.run(source, { signal: options.signal });
    return wrapErrors(() => classifyPicture(requireText(this.#text, "classify()"), run, labels, options));
  }

  /** Returns the tensor that run() would feed for the picture. */
  preprocess(source: RunSource, options: PreprocessOptions = {}): Promise<TensorData> {
    return wrapErrors(() => {
      checkPreprocessOptions(options);
      return this.#pictureRuns.preprocess(source, options);
    });
  }

  /**
   * Runs the graph of this backend on tensors, copied at the call, and returns all its outputs unchanged.
   * Inputs that are options may be left out. If the model has several sizes, the tensors' shapes choose the
   * graph. A model with state reads what the previous run with the same `options.state` wrote, unless the
   * state is among the tensors.
   */
  runTensors(feeds: Tensors, options: TensorRunOptions = {}): Promise<Tensors> {
    return this.#ordered.add(wrapErrors(() => this.#runTensors(feeds, options)));
  }

  /**
   * Runs the model on frames in sequence, such as audio frames, and yields the outputs of each. The state
   * starts from zeros, unless `options.state` is given.
   */
  async *streamTensors(
    frames: Iterable<Tensors> | AsyncIterable<Tensors>,
    options: TensorRunOptions = {},
  ): AsyncGenerator<Tensors, void, undefined> {
    checkTensorRunOptions(this.manifest, options);
    requireFrames(frames);
    const own = this.#states.ofStream(options.state);
    const state = own ?? options.state;
    try {
      for await (const feeds of frames) yield await this.runTensors(feeds, { ...options, state });
    } finally {
      await own?.release();
    }
  }

  /** Returns a new state, for `options.state`: each sequence of frames needs its own. */
  newState(): ModelState {
    return this.#states.create();
  }

  /** Sets the state to zeros: `model.state.reset()`. Does nothing for a model without state. */
  async reset(): Promise<void> {
    await this.state?.reset();
  }

  /** Returns the state after the runs so far: `model.state.snapshot()`. */
  async snapshot(): Promise<StateSnapshot> {
    return this.#states.required().snapshot();
  }

  /** Sets the state to a snapshot: `model.state.restore()`. */
  async restore(snapshot: StateSnapshot): Promise<void> {
    await this.#states.required().restore(snapshot);
  }

  async #runTensors(feeds: Tensors, options: TensorRunOptions): Promise<Tensors> {
    checkTensorRunOptions(this.manifest, options);
    if (this.#text !== null && options.stage === this.manifest.textEncoder?.name)
      return new TensorRuns(await this.#text.open({ signal: options.signal })).run(
        feeds,
        null,
        options.signal,
      );
    const stage = stageForTensors(this.#stages, options);
    const state = stage === this.#stages[0] ? this.#states.ofRun(options.state) : null;
    return new TensorRuns(stage).run(feeds, state, options.signal);
  }

  /**
   * Releases the model. Resolves when its memory is free, after 10 seconds at most. The last model of an
   * engine also stops its worker, and with it the GPU device. Pending runs reject with the code "disposed". A
   * second call waits for the first. `await using model = await load()` disposes at the end of a block.
   */
  async dispose(): Promise<void> {
    const disposed = new WebbuildError("disposed", "the model was used after dispose()", "call load() again");
    this.#scenes.end();
    const ending = this.#stages.map(({ sessions }) => sessions.end(disposed));
    await Promise.all([...ending, this.#text?.end(disposed)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}
