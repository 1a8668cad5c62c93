// The scenes of a model of several stages.

import type { IdleChoices } from "../choice/idle-choices.js";
import { isVideoFrame } from "../preprocess/canvas-pixels.js";
import { requestedSize } from "../preprocess/fitting-size.js";
import { checkPictureCount, runInput } from "../preprocess/image-input.js";
import { packImages } from "../preprocess/image-source.js";
import { drawnIfFrame } from "../preprocess/pixels.js";
import type { ModelStage } from "../runs/model-stage.js";
import { SceneSource } from "../runs/scene-source.js";
import { addTimings } from "../runs/stage-runs.js";
import { checkOptionValues, checkStageRun } from "./check-run.js";
import { closeResults } from "./close-results.js";
import { internalError, WebbuildError } from "./errors.js";
import { checkStageRunOptions, optionNames, optionsOf } from "./options.js";
import { Scene } from "./scene.js";
import type { Result, RunOptions, RunSource } from "./types.js";

export class Scenes {
  readonly #stages: readonly [ModelStage, ...ModelStage[]];
  readonly #first: ModelStage;
  readonly #last: ModelStage;
  readonly #open = new Set<Scene>();
  readonly #choices: IdleChoices;
  #looks = 0;

  constructor(stages: readonly [ModelStage, ...ModelStage[]], choices: IdleChoices) {
    this.#stages = stages;
    this.#choices = choices;
    this.#first = stages[0];
    this.#last = stages.at(-1) ?? stages[0];
  }

  /** Runs the first stages on a picture. Throws "one-stage" for a model of one stage. */
  async look(source: RunSource, options: RunOptions): Promise<Scene> {
    if (this.#first === this.#last) throw hasOneStage();
    checkStageRunOptions([...optionNames(this.#first.manifest, "first"), "size"], options, "the first stage");
    return (await this.#look(source, options, true)).scene;
  }

  /** Runs all stages on a picture. */
  async run(source: RunSource, options: RunOptions): Promise<Result> {
    const own = optionsOf(optionNames(this.#last.manifest, "later"), options);
    checkStageRun(this.#last.manifest, own);
    const names = optionNames(this.#first.manifest, "first");
    const { scene, holdsFrame } = await this.#look(source, optionsOf(names, options), false);
    try {
      const result = await scene.run(own);
      addTimings(result.timings, scene.timings);
      return result;
    } finally {
      closeResults(scene.result);
      if (holdsFrame) void scene.release();
      else this.#choices.release(scene);
    }
  }

  /** Releases all open scenes. */
  end(): void {
    for (const scene of this.#open) void scene.release();
  }

  /** `lasts`: whether the picture is kept for longer than one run. */
  async #look(
    source: RunSource,
    options: RunOptions,
    lasts: boolean,
  ): Promise<{ scene: Scene; holdsFrame: boolean }> {
    const { manifest, session, choice } = this.#first;
    checkOptionValues(manifest, options);
    for (const middle of this.#stages.slice(1, -1)) checkStageRun(middle.manifest, {});
    const { signal, size, state: _, ...rest } = options;
    const input = runInput(manifest.inputs);
    const requested = requestedSize(choice.sizes, size);
    session.check(signal);
    const sources = checkPictureCount(input, source);
    const { takesFrames } = session.loaded;
    const packed = await packImages(sources, {
      asFrames: !lasts && takesFrames,
      decodesFiles: requested === null && choice.sizes.length > 1,
      wraps: false,
    });
    const pictures = lasts ? packed.pictures.map(drawnIfFrame) : packed.pictures;
    const [sized] = choice.bySize(pictures, requested, input.count !== null);
    if (sized === undefined) throw internalError("look() without a picture");
    const variant = choice.variantOf(sized.size, 1);
    const look = { number: this.#looks++, variant, pictures, options: rest };
    const kept = new SceneSource(this.#stages, look);
    try {
      const report = await kept.look(signal);
      session.warn(report.warnings);
      session.loaded.info.preprocess = report.preprocess;
      const scene = new Scene(this.#last, kept, report, (released) => this.#open.delete(released));
      this.#open.add(scene);
      return { scene, holdsFrame: pictures.some(isVideoFrame) };
    } catch (error) {
      void kept.release();
      throw error;
    }
  }
}

function hasOneStage(): WebbuildError {
  return new WebbuildError("one-stage", "look(): the model has one stage", "call run()");
}
