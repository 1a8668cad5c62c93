// The worker's side of a model: what the page may ask, answered one at a time.

import { finalizer } from "comlink";
import type { ModelInfo, Result, RunOptions, TensorData, Tensors, Warning } from "./api.js";
import { optionFeeds, pictureInput } from "./contract.js";
import { decode, nanWarnings, neededOutputs } from "./decode.js";
import { abortedError, internalError } from "./errors.js";
import { type Geometry, letterbox, placePicture } from "./letterbox.js";
import type { Manifest } from "./manifest.js";
import { type OpenModel, type OpenRequest, openModel } from "./opening.js";
import { type Picture, readPixels } from "./pixels.js";
import type { Prediction, Predictor } from "./predictor.js";
import type { SharedEngine } from "./shared-engine.js";
import type { Tell } from "./stages.js";
import { moving } from "./wire.js";

/** A run's options without what cannot cross into a worker. */
export type Thresholds = Omit<RunOptions, "signal">;

export class Host {
  readonly #engine: SharedEngine;
  readonly #closing = new AbortController();
  readonly #cancelled = new Set<number>();
  #opening: Promise<OpenModel> | null = null;
  #opened: { manifest: Manifest; predictor: Predictor } | null = null;

  constructor(engine: SharedEngine) {
    this.#engine = engine;
  }

  async open(request: OpenRequest, tell: Tell | null): Promise<ModelInfo> {
    this.#opening = openModel(request, tell, this.#engine, this.#closing.signal);
    const { predictor, info } = await this.#opening;
    this.#opened = { manifest: request.manifest, predictor };
    return info;
  }

  /** Called when the page has let go of this model, and others of the worker go on. */
  async [finalizer](): Promise<void> {
    this.#closing.abort();
    const opened = await this.#opening?.catch(() => null);
    if (opened) await this.#engine.queue.add(() => opened.predictor.release());
  }

  run(id: number, picture: Picture, thresholds: Thresholds): Promise<Result> {
    return this.#engine.queue.add(async () => {
      this.#refuseCancelled(id, picture);
      const result = await this.#answer(picture, thresholds);
      this.#cancelled.delete(id);
      return moving(result, moved(result));
    });
  }

  /** Drops a run that has not begun. */
  cancel(id: number): void {
    this.#cancelled.add(id);
  }

  preprocess(picture: Picture): Promise<TensorData> {
    return this.#engine.queue.add(async () => {
      const { tensor } = await this.#prepare(picture);
      return moving(tensor, [tensor.data]);
    });
  }

  runTensors(feeds: Tensors): Promise<Tensors> {
    return this.#engine.queue.add(async () => {
      const outputs = await this.#model().predictor.raw(feeds);
      return moving(outputs, arrays(outputs));
    });
  }

  async #answer(picture: Picture, thresholds: Thresholds): Promise<Result> {
    const { manifest, predictor } = this.#model();
    const started = performance.now();
    const { name, tensor, geometry } = await this.#prepare(picture);
    const prepared = performance.now();
    const feeds = { ...optionFeeds(manifest.inputs, thresholds), [name]: tensor };
    const { outputs, backend, repeated } = await predictor.predict(feeds, neededOutputs(manifest));
    const inferred = performance.now();
    const decoded = decode(manifest, outputs, geometry);
    const warnings = [...nanWarnings(outputs), ...repeatWarnings(repeated)];
    const ended = performance.now();
    const timings = {
      preprocess: prepared - started,
      inference: inferred - prepared,
      decode: ended - inferred,
      total: ended - started,
    };
    return { ...decoded, timings, backend, repeated, warnings };
  }

  async #prepare(picture: Picture): Promise<{ name: string; tensor: TensorData; geometry: Geometry }> {
    const input = pictureInput(this.#model().manifest.inputs);
    const pixels = await readPixels(picture);
    const geometry = placePicture({ width: pixels.width, height: pixels.height }, input);
    const data = letterbox(pixels, input, geometry);
    return { name: input.name, tensor: { type: "float32", dims: [...input.shape], data }, geometry };
  }

  #refuseCancelled(id: number, picture: Picture): void {
    if (!this.#cancelled.delete(id) && !this.#closing.signal.aborted) return;
    if ("close" in picture) picture.close();
    throw abortedError();
  }

  #model(): { manifest: Manifest; predictor: Predictor } {
    if (this.#opened === null) throw internalError("a run reached the worker before a model was open");
    return this.#opened;
  }
}

/** What of a result is too large to be copied. */
function moved(result: Result): ArrayBufferView<ArrayBuffer>[] {
  if (result.kind === "segment") return result.segments.map(({ mask }) => mask.data);
  return result.kind === "tensor" ? arrays(result.outputs) : [];
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
