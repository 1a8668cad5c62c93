// The worker's side of a model: what the page may ask, answered one at a time.

import { finalizer } from "comlink";
import { type Answered, answer } from "./answering.js";
import type { Result, RunOptions, TensorData, Tensors, Warning } from "./api.js";
import { optionFeeds } from "./contract.js";
import { neededOutputs } from "./decode.js";
import { abortedError, internalError, WebbuildError } from "./errors.js";
import { focusFeeds } from "./focus.js";
import { keptOutputs } from "./judge.js";
import type { Manifest } from "./manifest.js";
import { withMode } from "./mode.js";
import { type OpenModel, type OpenRequest, openModel } from "./opening.js";
import { closePictures, type Picture } from "./pixels.js";
import type { Prediction } from "./predictor.js";
import { askedOf, ownOptions, promptFeeds, readPrompt } from "./prompt.js";
import type { SharedEngine } from "./shared-engine.js";
import { sizeFeeds } from "./sizes.js";
import type { Tell } from "./stages.js";
import { depthWish } from "./tasks/depth-parts.js";
import type { Reading } from "./tasks/phrases.js";
import { moving } from "./wire.js";
import type { Wordpiece } from "./wordpiece.js";

/** A run's options without what cannot cross into a worker. */
export type Thresholds = Omit<RunOptions, "signal">;

type HeldModel = Omit<OpenModel, keyof OpenedModel> & { manifest: Manifest };

/** What the page is told of a model. */
type OpenedModel = Pick<OpenModel, "info" | "takesFrames" | "warnings">;

export class Host {
  readonly #engine: SharedEngine;
  readonly #closing = new AbortController();
  readonly #cancelled = new Set<number>();
  #opening: Promise<OpenModel> | null = null;
  #opened: HeldModel | null = null;

  constructor(engine: SharedEngine) {
    this.#engine = engine;
  }

  async open(request: OpenRequest, tell: Tell | null): Promise<OpenedModel> {
    this.#opening = openModel(request, tell, this.#engine, this.#closing.signal);
    const { info, takesFrames, warnings, ...held } = await this.#opening;
    this.#opened = { manifest: request.manifest, ...held };
    return { info, takesFrames, warnings };
  }

  /** Called when the page has let go of this model, and others of the worker go on. */
  async [finalizer](): Promise<void> {
    this.#closing.abort();
    const opened = await this.#opening?.catch(() => null);
    if (opened === null || opened === undefined) return;
    await this.#engine.queue.add(() => opened.predictor.release().finally(() => opened.feeder.release()));
  }

  run(id: number, pictures: readonly Picture[], thresholds: Thresholds): Promise<Result> {
    return this.#engine.queue.add(async () => {
      this.#refuseCancelled(id, pictures);
      return this.#answer(id, pictures, thresholds);
    });
  }

  /** Drops a run that has not begun. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }

  preprocess(pictures: readonly Picture[]): Promise<TensorData> {
    return this.#engine.queue.add(async () => {
      try {
        const { tensor } = await this.#model().feeder.feed(pictures);
        const read = "buffer" in tensor ? await tensor.read() : tensor;
        return moving(read, [read.data]);
      } finally {
        closePictures(pictures);
      }
    });
  }

  runTensors(feeds: Tensors): Promise<Tensors> {
    return this.#engine.queue.add(async () => {
      const outputs = await this.#model().predictor.raw(feeds);
      return moving(outputs, arrays(outputs));
    });
  }

  /** Where the run fails its pictures go back with the error, else they are closed. */
  async #answer(id: number, pictures: readonly Picture[], thresholds: Thresholds): Promise<Result> {
    try {
      const result = await this.#infer(pictures, thresholds);
      closePictures(pictures);
      return moving(result, ...moved(result));
    } catch (error) {
      if (error instanceof WebbuildError) error.pictures = pictures;
      else closePictures(pictures);
      throw error;
    } finally {
      this.#cancelled.delete(id);
    }
  }

  async #infer(pictures: readonly Picture[], thresholds: Thresholds): Promise<Result> {
    const started = performance.now();
    const { manifest, predictor, reader, feeder, judge } = this.#model();
    const asked = withMode(manifest, thresholds.mode);
    const wish = depthWish(manifest, thresholds);
    const { name, tensor, geometry, feed } = await feeder.feed(pictures);
    const reading = readingOf(manifest, reader, thresholds);
    const ready = performance.now();
    const filled = {
      ...optionFeeds(manifest.inputs, thresholds, ownOptions(manifest)),
      ...focusFeeds(manifest.inputs, thresholds.focusDistances),
      ...sizeFeeds(manifest.inputs, geometry.source),
      ...wordFeeds(manifest, reading),
    };
    const feeds = { ...filled, [name]: tensor };
    const kept = keptOutputs(judge, asked, wish);
    const { outputs, backend, repeated } = await predictor.predict(
      feeds,
      neededOutputs(manifest, wish),
      kept,
    );
    const inferred = performance.now();
    const answering = (): Promise<Answered> => answer(judge, asked, outputs, geometry, { reading, wish });
    const { decoded, decode, warnings } = await (kept.length > 0
      ? this.#engine.gpu.during(answering)
      : answering());
    const ended = performance.now();
    const timings = {
      preprocess: ready - started,
      inference: inferred - ready,
      decode: ended - inferred,
      total: ended - started,
    };
    const told = [...warnings, ...repeatWarnings(repeated)];
    return { ...decoded, timings, feed, decode, backend, repeated, warnings: told };
  }

  #refuseCancelled(id: number, pictures: readonly Picture[]): void {
    if (!this.#cancelled.delete(id) && !this.#closing.signal.aborted) return;
    closePictures(pictures);
    throw abortedError();
  }

  #model(): HeldModel {
    if (this.#opened === null) throw internalError("a run reached the worker before a model was open");
    return this.#opened;
  }
}

/** What a run looks for. Null for a model that takes no prompt. */
function readingOf(manifest: Manifest, reader: Wordpiece | null, options: Thresholds): Reading | null {
  const asked = askedOf(manifest, options);
  if (asked === null || reader === null || manifest.task.kind !== "phrases") return null;
  return { asked, reader, prompt: readPrompt(asked.caption, reader, manifest.task) };
}

function wordFeeds({ inputs, task }: Manifest, reading: Reading | null): Tensors {
  return task.kind === "phrases" && reading !== null ? promptFeeds(inputs, task, reading.prompt) : {};
}

/** What of a result is too large to be copied. */
function moved(result: Result): [arrays: ArrayBufferView<ArrayBuffer>[], others?: Transferable[]] {
  if (result.kind === "segment") return [result.segments.map(({ mask }) => mask.data)];
  if (result.kind === "panoptic") return [[result.map]];
  if (result.kind === "depth") {
    const { depth, confidence, map, colors } = result;
    return [[depth, confidence, map?.values].filter(isThere), [colors].filter(isThere)];
  }
  return [result.kind === "tensor" ? arrays(result.outputs) : []];
}

function isThere<T>(part: T | null | undefined): part is T {
  return part !== null && part !== undefined;
}

function arrays(tensors: Tensors): ArrayBufferView<ArrayBuffer>[] {
  return Object.values(tensors).map(({ data }) => data);
}

function repeatWarnings(repeated: Prediction["repeated"]): Warning[] {
  if (repeated === null) return [];
  const message = `the run was repeated on ${repeated.target}: ${repeated.why}`;
  const fix = "raise the confidence threshold, or pack the model again with room for more candidates";
  return [{ code: "repeated", message, fix }];
}
