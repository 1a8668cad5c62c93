// A loaded model, as the page sees it.

import { transfer } from "comlink";
import type {
  Backend,
  ModelInfo,
  Result,
  RunOptions,
  RunSource,
  StreamedFrame,
  TensorData,
  Tensors,
  Warning,
} from "./api.js";
import { completeFeeds, optionFeeds } from "./contract.js";
import { WebbuildError } from "./errors.js";
import { focusFeeds } from "./focus.js";
import type { Manifest } from "./manifest.js";
import { withMode } from "./mode.js";
import { counted, picturedInput } from "./pictured.js";
import { movable, type Picture } from "./pixels.js";
import { askedOf, ownOptions } from "./prompt.js";
import { Turns } from "./queue.js";
import { close, parcels } from "./source.js";
import type { Ask, Standing } from "./standing.js";
import { requireVideo, Stream } from "./stream.js";
import { depthWish } from "./tasks/depth-parts.js";

export class Model {
  readonly manifest: Manifest;
  readonly #standing: Standing;
  readonly #turns = new Turns();
  #runs = 0;

  private constructor(manifest: Manifest, standing: Standing) {
    this.manifest = manifest;
    this.#standing = standing;
  }

  /** @internal */
  static of(manifest: Manifest, standing: Standing): Model {
    return new Model(manifest, standing);
  }

  /** Where the model runs now: with "auto" a kernel that fails on the GPU takes it to WASM. */
  get backend(): Backend {
    return this.#standing.opened.rung.backend;
  }

  /** Why this backend, in one sentence. */
  get reason(): string {
    return this.#standing.opened.rung.reason;
  }

  /** Of loading and of all runs so far, each code once. */
  get warnings(): readonly Warning[] {
    return this.#standing.warnings;
  }

  info(): ModelInfo {
    return structuredClone(this.#standing.opened.info);
  }

  /**
   * Runs the model on a picture, or on an array of them where it takes a stack. Runs are answered in order; one that
   * fails does not touch the next. Where the GPU is lost, the engine is started anew and the run repeated, once.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#turns.take(this.#run(source, options));
  }

  async #run(source: RunSource, { signal, ...thresholds }: RunOptions): Promise<Result> {
    optionFeeds(this.manifest.inputs, thresholds, ownOptions(this.manifest));
    askedOf(this.manifest, thresholds);
    focusFeeds(this.manifest.inputs, thresholds.focusDistances);
    withMode(this.manifest, thresholds.mode);
    depthWish(this.manifest, thresholds);
    const id = this.#runs++;
    const result = await this.#send(
      source,
      (pictures) => (host) => host.run(id, pictures, thresholds),
      ({ pictures }) => {
        if (pictures.length === 0) return null;
        return (host) => host.run(id, transfer(pictures, movable(pictures)), thresholds);
      },
      signal,
    ).catch((error: unknown) => {
      if (signal?.aborted) this.#cancel(id);
      throw error;
    });
    this.#standing.warn(result.warnings);
    const { info } = this.#standing.opened;
    [info.feed, info.decode] = [result.feed, result.decode];
    return result;
  }

  /**
   * Runs the model on a video's frames, one at a time; frames that come meanwhile are dropped. Waits for what
   * `onResult` returns. Ends with the video, by `stop()` or by `options.signal`.
   */
  stream(
    video: HTMLVideoElement,
    onResult: (result: Result, frame: StreamedFrame) => void | Promise<void>,
    options: RunOptions = {},
  ): Stream {
    requireVideo(video);
    this.#standing.check();
    const run = (source: HTMLVideoElement, signal: AbortSignal): Promise<Result> =>
      this.run(source, { ...options, signal });
    return new Stream(video, run, onResult, options.signal);
  }

  /** Returns what run() would feed for the picture. */
  preprocess(source: RunSource): Promise<TensorData> {
    return this.#send(
      source,
      (pictures) => (host) => host.preprocess(pictures),
      () => null,
    );
  }

  /** Runs the graph of this backend on tensors and returns all its outputs as they are. Options may be left out. */
  runTensors(feeds: Tensors): Promise<Tensors> {
    return this.#turns.take(this.#runTensors(feeds));
  }

  async #runTensors(feeds: Tensors): Promise<Tensors> {
    const complete = completeFeeds(this.manifest.inputs, feeds);
    const ask: Ask<Tensors> = (host) => host.runTensors(complete);
    return this.#standing.call(ask, () => ask);
  }

  /**
   * Gives back what the model holds. The last model of an engine stops its worker, and with that the GPU device.
   * Runs under way reject with code "disposed". A second call does nothing.
   */
  async dispose(): Promise<void> {
    this.#standing.end(new WebbuildError("disposed", "the model was disposed of", "call load() again"));
  }

  #cancel(id: number): void {
    void this.#standing.opened.connection.call((host) => host.cancel(id)).catch(() => {});
  }

  async #send<T>(
    source: RunSource,
    ask: (pictures: Picture[]) => Ask<T>,
    again: (error: WebbuildError) => Ask<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    const sources = counted(picturedInput(this.manifest.inputs), source);
    this.#standing.check(signal);
    const { pictures, moved } = await parcels(sources, this.#standing.opened.takesFrames);
    try {
      return await this.#standing.call((host) => ask(transfer(pictures, moved))(host), again, signal);
    } finally {
      // Those that moved are empty shells by now; those that did not must not be left to the garbage collector.
      close(moved);
    }
  }
}
