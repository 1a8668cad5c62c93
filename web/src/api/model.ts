// A loaded model, as the page sees it.

import { IdleChoices } from "../choice/idle-choices.js";
import type { ResilientSession } from "../fallback/recovery.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import { stateInputs } from "../inputs/state-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ModelStage } from "../runs/model-stage.js";
import { PictureRuns } from "../runs/picture-runs.js";
import { TensorRuns } from "../runs/tensor-runs.js";
import { OrderedResults } from "../worker/queue.js";
import { checkOptionValues } from "./check-run.js";
import { guarded, internalError, WebbuildError } from "./errors.js";
import { checkRunOptions, checkStageRunOptions, checkTensorRunOptions, optionNames } from "./options.js";
import type { Scene } from "./scene.js";
import { Scenes } from "./scenes.js";
import { hasNoState, ModelState } from "./state.js";
import { requireListener, requireVideo, Stream } from "./stream.js";
import type {
  Backend,
  ModelInfo,
  PictureSize,
  Result,
  RunOptions,
  RunSource,
  StageInfo,
  StateSnapshot,
  StreamedFrame,
  TensorData,
  TensorRunOptions,
  Tensors,
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
  readonly #stages: readonly [ModelStage, ...ModelStage[]];
  readonly #pictureRuns: PictureRuns;
  readonly #scenes: Scenes;
  #states = 0;

  private constructor(manifest: Manifest, stages: readonly ModelStage[]) {
    const [first, ...others] = stages;
    if (first === undefined) throw internalError("a model without a stage");
    this.manifest = manifest;
    this.sizes = first.choice.sizes;
    this.batches = first.choice.batches;
    this.#stages = [first, ...others];
    this.#pictureRuns = new PictureRuns(first);
    this.#scenes = new Scenes([first, ...others], new IdleChoices(stages));
    this.#sessions = first.sessions;
    this.#session = first.session;
    this.state = stateInputs(manifest.inputs).length > 0 ? this.newState() : null;
  }

  /** @internal */
  static of(manifest: Manifest, stages: readonly ModelStage[]): Model {
    return new Model(manifest, stages);
  }

  /** Where the model runs now, at the size that was loaded first: with "auto" a kernel that fails on the GPU takes it to WASM. */
  get backend(): Backend {
    return this.#session.loaded.candidate.backend;
  }

  /** Why this backend, in one sentence. */
  get reason(): string {
    return this.#session.loaded.candidate.reason;
  }

  /**
   * Of loading and of all runs so far, each code once; those of a later stage begin with its name. What the first stage
   * says too is said once.
   */
  get warnings(): readonly Warning[] {
    const said = this.#session.warnings;
    const later = this.#stages
      .slice(1)
      .flatMap(({ name, session }) =>
        session.warnings
          .filter(({ code, message }) => !said.some((each) => each.code === code && each.message === message))
          .map((warning) => ({ ...warning, message: `${name}: ${warning.message}` })),
      );
    return [...said, ...later];
  }

  info(): ModelInfo {
    const { info } = this.#stages[0];
    return this.#stages.length > 1 ? { ...info, stages: this.#stages.map(stageInfo) } : info;
  }

  /**
   * Runs the first stage of a model of several on a picture, once. The scene that it returns answers with the last stage
   * alone: `scene.run()`, of a mask-generation model `scene.segment()`. Release it when the picture is not needed any
   * more. Scenes do not depend on each other: another look may begin before this one has ended.
   */
  look(source: RunSource, options: RunOptions = {}): Promise<Scene> {
    return this.#ordered.add(guarded(() => this.#scenes.look(source, options)));
  }

  /**
   * Runs the model on a picture, or on an array of them where it takes a stack. Of a model that is packed for several
   * pictures, `batches`, an array of pictures gives an array of results, each as from a run of its own. Runs are answered in order; one that
   * fails does not touch the next. Where the GPU is lost, the engine is started again and the run repeated, once. The first
   * run at another size loads that. A model with state reads what the previous run with the same `options.state` wrote;
   * if the picture's size changes, the state starts from zeros. A model of several stages runs them all, and takes the
   * options of the first and of the last.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(guarded(() => this.#run(source, options)));
  }

  #run(source: RunSource, options: RunOptions): Promise<Result> {
    this.#checkRunOptions(options);
    if (this.#stages.length > 1) return this.#scenes.run(source, options);
    checkOptionValues(this.manifest, options);
    return this.#pictureRuns.run(source, options, this.#stateOf(options.state));
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
    this.#checkRunOptions(options);
    this.#session.check();
    const own = this.#ownState(options);
    const state = own ?? options.state ?? null;
    const run = (source: HTMLVideoElement, signal: AbortSignal): Promise<Result> =>
      this.run(source, { ...options, signal, state: state ?? undefined });
    return new Stream(video, run, onResult, options.signal, { state, own: own !== null });
  }

  /** Returns what run() would feed for the picture. */
  preprocess(source: RunSource, { size }: Pick<RunOptions, "size"> = {}): Promise<TensorData> {
    return guarded(() => this.#pictureRuns.preprocess(source, size));
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

  #runTensors(feeds: Tensors, options: TensorRunOptions): Promise<Tensors> {
    checkTensorRunOptions(this.manifest, options);
    const { stage: name, state, signal } = options;
    const stage = this.#stages.find((each) => name === undefined || each.name === name);
    if (stage === undefined) throw noStage(this.#stages, name);
    const isFirst = stage === this.#stages[0];
    if (!isFirst && state !== undefined) throw stateOfFirst(stage);
    return new TensorRuns(stage).run(feeds, isFirst ? this.#stateOf(state) : null, signal);
  }

  #checkRunOptions(options: RunOptions): void {
    const [first, ...others] = this.#stages;
    const last = others.at(-1);
    if (last === undefined) {
      checkRunOptions(optionNames(this.manifest, "only"), options);
      return;
    }
    const names = [...optionNames(first.manifest, "first"), ...optionNames(last.manifest, "later")];
    checkStageRunOptions([...new Set(names)], options, "a model of several stages");
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
    const disposed = new WebbuildError("disposed", "the model was used after dispose()", "call load() again");
    this.#scenes.end();
    for (const { sessions } of this.#stages) sessions.end(disposed);
  }
}

function stageInfo({ name, info, session: { loaded }, turns: { runs } }: ModelStage): StageInfo {
  const { backend, reason } = loaded.candidate;
  return { ...info, name, backend, reason, runs };
}

function stateOfFirst({ name }: ModelStage): WebbuildError {
  const what = `state: the stage "${name}" has none, the first stage alone has`;
  return new WebbuildError("invalid-option", what, "leave state out");
}

function noStage(stages: readonly ModelStage[], name: string | undefined): WebbuildError {
  const fix = `its stages are: ${stages.map((each) => each.name).join(", ")}`;
  return new WebbuildError("invalid-option", `stage: the model has no stage "${name}"`, fix);
}
