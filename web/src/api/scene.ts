// A picture that a model of several stages has looked at: its last stage answers about it as often as it is asked.

import type { ModelStage } from "../runs/model-stage.js";
import type { SceneSource } from "../runs/scene-source.js";
import { StageRuns } from "../runs/stage-runs.js";
import { type EverythingOptions, everythingSettings } from "../tasks/mask-generation/everything/settings.js";
import type { LookReport } from "../worker/look.js";
import { OrderedResults } from "../worker/queue.js";
import { checkStageRun } from "./check-run.js";
import { WebbuildError, wrapErrors } from "./errors.js";
import {
  checkEverythingOptions,
  checkSceneRunOptions,
  checkStageRunOptions,
  optionNames,
} from "./options.js";
import type { EverythingResult, GlueContext, Result, RunOptions, SceneRunOptions, Tensors } from "./types.js";
import { withEitherSignal } from "./with-either-signal.js";

/** What `model.look()` gives. It holds the picture, and the first stage's outputs in the worker, until `release()`. */
export class Scene {
  /** The size of the upright picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** What the first stage found; null where its outputs are tensors for the next stage alone. */
  readonly result: Result | null;
  /** Milliseconds of all stages but the last. */
  readonly timings: Result["timings"];
  readonly #last: ModelStage;
  readonly #source: SceneSource;
  readonly #runs: StageRuns;
  readonly #ordered = new OrderedResults();
  /** What takes so long that the others do not wait for it. */
  readonly #long = new OrderedResults();
  readonly #onRelease: (scene: Scene) => void;
  /** Fires at release(), for what is not waited for then. */
  readonly #closing = new AbortController();
  #released: Promise<void> | null = null;

  /** @internal */
  constructor(
    last: ModelStage,
    source: SceneSource,
    { source: { width, height }, result, timings }: LookReport,
    onRelease: (scene: Scene) => void,
  ) {
    [this.width, this.height] = [width, height];
    this.result = result;
    this.timings = timings;
    this.#last = last;
    this.#source = source;
    this.#runs = new StageRuns(last, source);
    this.#onRelease = onRelease;
  }

  /**
   * Runs the last stage, with the options that its task takes. Runs of a scene are answered in order; one that fails does
   * not touch the next. Where the GPU is lost, the first stage runs again too, once.
   */
  run(options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(
      wrapErrors(() => {
        this.#check();
        const { manifest } = this.#last;
        checkStageRunOptions(optionNames(manifest, "later"), options, "the last stage");
        checkStageRun(manifest, options);
        const { signal, onProgress, ...rest } = options;
        return this.#runs.run(rest, signal, onProgress);
      }),
    );
  }

  /** Segments what a prompt points at: `run()` of a mask-generation model. */
  segment(prompt: RunOptions = {}, options: SceneRunOptions = {}): Promise<Result> {
    return this.run({ ...prompt, ...options });
  }

  /**
   * Finds every object of a mask-generation model by a click at each point of a grid: what Segment Anything's
   * `SamAutomaticMaskGenerator` finds without crops. Other runs of the scene have their turn between points, and do not wait
   * for its answer. `release()` ends it after the points under way: it rejects with the code "aborted".
   */
  everything(options: EverythingOptions = {}): Promise<EverythingResult> {
    return this.#long.add(
      wrapErrors(() => {
        this.#check();
        checkEverythingOptions(this.#last.manifest, options);
        const { signal, onProgress } = options;
        return withEitherSignal(signal, this.#closing.signal, (either) =>
          this.#runs.everything(everythingSettings(options), either, (at) => onProgress?.(at)),
        );
      }),
    );
  }

  /**
   * Runs the graph of the last stage on tensors and returns all its outputs as they are. Inputs that are outputs of an
   * earlier stage are left out: they are this scene's.
   */
  runTensors(feeds: Tensors = {}, options: SceneRunOptions = {}): Promise<Tensors> {
    return this.#ordered.add(
      wrapErrors(() => {
        this.#check();
        checkSceneRunOptions(options);
        return this.#runs.runTensors(feeds, options.signal);
      }),
    );
  }

  /** @internal The results of all stages but the last, by their names, as glue is given them. */
  results(): Promise<GlueContext["results"]> {
    return this.#ordered.add(
      wrapErrors(() => {
        this.#check();
        return this.#source.results();
      }),
    );
  }

  /**
   * Frees the picture and the tensors, after the runs that were called before; `everything()` is ended. The scene cannot be
   * used any more.
   */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.#onRelease(this);
    this.#closing.abort(releasedError());
    // A run reaches the worker only some steps after its call.
    await Promise.all([this.#ordered.settled(), this.#long.settled()]);
    await this.#source.release();
  }

  #check(): void {
    if (this.#released === null) return;
    const fix = "call look() again, and release() when the picture is not needed any more";
    throw new WebbuildError("disposed", "the scene was used after release()", fix);
  }
}

function releasedError(): WebbuildError {
  const fix = "nothing is wrong: release() stopped it; to have its answer, await it first";
  return new WebbuildError("aborted", "stopped, as its scene was released", fix);
}
