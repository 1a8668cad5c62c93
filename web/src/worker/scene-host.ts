// The worker's side of scenes: the page's calls to a model of several stages, one at a time.

import type { PictureSize, Result, Tensors } from "../api/types.js";
import { closePictures, isOpenPicture, type Picture } from "../preprocess/pixels.js";
import type { SavedScene, SceneRef } from "../stages/scene-store.js";
import type { HostTurns } from "./host-turns.js";
import { type LookReport, look } from "./look.js";
import { arraysOf, movedResult } from "./moved-results.js";
import { type JoinedParts, joinParts, keepParts, type PartBatch, partLines, runParts } from "./part-run.js";
import type { KeptOutputs } from "./run-outputs.js";
import { advanceScene, runStage, runStageTensors, type StageReport, type StageTensors } from "./stage-run.js";
import { withTransfer } from "./transfer.js";
import type { WorkerRunOptions } from "./worker-run-options.js";

export class SceneHost {
  readonly #turns: HostTurns;

  constructor(turns: HostTurns) {
    this.#turns = turns;
  }

  /**
   * Runs the first stage, and stores its picture and the outputs for later stages as the scene of this
   * number. If the run fails, the pictures are closed.
   */
  async look(
    id: number,
    scene: number,
    pictures: readonly Picture[],
    options: WorkerRunOptions,
    keeps: Pick<KeptOutputs, "names" | "onGpu">,
  ): Promise<LookReport> {
    try {
      return await this.#turns.run(id, (model) => {
        const request = { id, pictures, options, state: null };
        return look(model, this.#turns.engine, { modelId: model.modelId, scene }, request, keeps);
      });
    } catch (error) {
      closePictures(pictures);
      throw error;
    } finally {
      closePictures(Object.values(options).filter(isOpenPicture));
    }
  }

  /** Runs a middle stage, and adds its outputs for later stages to the scene. */
  advance(id: number, ref: SceneRef, kept: Pick<KeptOutputs, "names" | "onGpu">): Promise<StageReport> {
    return this.#turns.run(id, (model) => advanceScene(model, this.#turns.engine, ref, kept));
  }

  /** Runs a later stage on a scene of this worker. */
  run(id: number, ref: SceneRef, options: WorkerRunOptions): Promise<Result> {
    return this.#turns.run(id, async (model) =>
      movedResult(model, await runStage(model, this.#turns.engine, ref, options)),
    );
  }

  runTensors(id: number, ref: SceneRef, feeds: Tensors): Promise<StageTensors> {
    return this.#turns.run(id, async (model) => {
      const run = await runStageTensors(model, this.#turns.engine, ref, feeds);
      return withTransfer(run, arraysOf(run.outputs));
    });
  }

  /** Returns for each part of the picture the size of its text line, null if it is not a text line. */
  partLines(id: number, ref: SceneRef, options: WorkerRunOptions): Promise<(PictureSize | null)[]> {
    return this.#turns.run(id, (model) => partLines(model, this.#turns.engine, ref, options));
  }

  runParts(
    id: number,
    ref: SceneRef,
    options: WorkerRunOptions,
    parts: readonly number[],
  ): Promise<PartBatch> {
    return this.#turns.run(id, (model) => runParts(model, this.#turns.engine, ref, options, parts));
  }

  /** Joins the pieces of all batches into the result. */
  joinParts(id: number, ref: SceneRef, options: WorkerRunOptions, all: JoinedParts): Promise<Result> {
    return this.#turns.run(id, async (model) =>
      movedResult(model, await joinParts(model, this.#turns.engine, ref, options, all)),
    );
  }

  /** Joins the pieces of all batches of a middle stage, and adds the result to the scene. */
  keepParts(id: number, ref: SceneRef, all: JoinedParts): Promise<StageReport> {
    return this.#turns.run(id, (model) => keepParts(model, this.#turns.engine, ref, all));
  }

  /** Returns a copy of a scene of this worker, for a stage that runs in another worker. */
  read(ref: SceneRef): Promise<SavedScene> {
    const { engine } = this.#turns;
    return engine.queue.add(() => {
      const read = (): Promise<SavedScene> => engine.scenes.copy(ref);
      return engine.scenes.isOnGpu(ref) ? engine.gpu.guard(read) : read();
    });
  }

  /** Stores the copy of a scene of another worker. */
  keep(scene: number, saved: SavedScene): Promise<void> {
    const { engine, model } = this.#turns;
    return engine.queue.add(async () => engine.scenes.keep({ modelId: model.modelId, scene }, saved));
  }

  /** Frees the memory of a scene, after earlier calls have ended. */
  release(scene: number): Promise<void> {
    const { engine, model } = this.#turns;
    return engine.queue.add(async () => engine.scenes.release({ modelId: model.modelId, scene }));
  }
}
