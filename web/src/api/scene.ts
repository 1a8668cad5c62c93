// A picture that all stages but the last have run on: the last stage can run on it any number of times.

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
import { plainCopy } from "./plain-copy.js";
import type { EverythingResult, GlueContext, Result, RunOptions, SceneRunOptions, Tensors } from "./types.js";
import { withEitherSignal } from "./with-either-signal.js";

/**
 * What `model.look()` returns. It keeps the picture, and the earlier stages' outputs in the worker, until
 * `release()`.
 */
export class Scene {
  /** The size of the upright picture, in pixels. */
  readonly width: number;
  readonly height: number;
  /** The result of the earlier stages; null if their outputs are only tensors for the next stage. */
  readonly result: Result | null;
  /** Milliseconds of all stages except the last. */
  readonly timings: Result["timings"];
  readonly #last: ModelStage;
  readonly #source: SceneSource;
  readonly #runs: StageRuns;
  readonly #ordered = new OrderedResults();
  /** Runs so long that the others do not wait for them: everything(). */
  readonly #long = new OrderedResults();
  readonly #onRelease: (scene: Scene) => void;
  /** Aborts at release(), for calls that release() does not wait for. */
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
   * Runs the last stage, with the options of its task. Runs of a scene finish in the order of the calls; a
   * failed run does not affect the next. After a lost GPU device the earlier stages run again too, once.
   */
  run(options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(
      wrapErrors(() => {
        this.#check();
        const { manifest } = this.#last;
        checkStageRunOptions(optionNames(manifest, "later"), options, "the last stage");
        checkStageRun(manifest, options);
        const { signal, onProgress, ...rest } = plainCopy(options);
        return this.#runs.run(rest, signal, onProgress);
      }),
    );
  }

  /** Segments the object of a prompt: `run()` of a mask-generation model. */
  segment(prompt: RunOptions = {}, options: SceneRunOptions = {}): Promise<Result> {
    return this.run({ ...prompt, ...options });
  }

  /**
   * Finds all objects with a mask-generation model, by a click at each point of a grid: Segment Anything's
   * `SamAutomaticMaskGenerator` without crops. Other runs of the scene get their turn between points, and do
   * not wait for this result. `release()` stops it after the current points: it rejects with the code
   * "aborted".
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
   * Runs the graph of the last stage on tensors and returns all its outputs unchanged. Leave out inputs that
   * are outputs of an earlier stage: they come from this scene.
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

  /** @internal Returns the results of all stages except the last, by stage name, as glue receives them. */
  results(): Promise<GlueContext["results"]> {
    return this.#ordered.add(
      wrapErrors(() => {
        this.#check();
        return this.#source.results();
      }),
    );
  }

  /**
   * Frees the picture and the tensors, after the runs that were called before; stops `everything()`. The
   * scene cannot be used afterwards.
   */
  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    this.#onRelease(this);
    this.#closing.abort(releasedError());
    // A run reaches the worker only some asynchronous steps after its call.
    await Promise.all([this.#ordered.settled(), this.#long.settled()]);
    await this.#source.release();
  }

  #check(): void {
    if (this.#released === null) return;
    const fix = "call look() again, and release() only when the picture is no longer needed";
    throw new WebbuildError("disposed", "the scene was used after release()", fix);
  }
}

function releasedError(): WebbuildError {
  const fix = "nothing is wrong: release() stopped it; to get its result, await it before release()";
  return new WebbuildError("aborted", "stopped, as its scene was released", fix);
}
