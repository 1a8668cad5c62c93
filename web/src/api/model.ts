// A loaded model, as the page sees it.

import { transfer } from "comlink";
import type { ResilientSession, WorkerCall } from "../fallback/recovery.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { completeFeeds, optionFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { checkPictureCount, runInput } from "../preprocess/image-input.js";
import { blamingOrigin, closeImages, packImages } from "../preprocess/image-source.js";
import { type Picture, transferableImages } from "../preprocess/pixels.js";
import { checkTaskOptions, taskOptionNames } from "../tasks/task-options.js";
import { OrderedResults } from "../worker/queue.js";
import { guarded, WebbuildError } from "./errors.js";
import { checkRunOptions } from "./options.js";
import { requireListener, requireVideo, Stream } from "./stream.js";
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
} from "./types.js";

export class Model {
  readonly manifest: Manifest;
  readonly #session: ResilientSession;
  readonly #ordered = new OrderedResults();
  #runs = 0;

  private constructor(manifest: Manifest, session: ResilientSession) {
    this.manifest = manifest;
    this.#session = session;
  }

  /** @internal */
  static of(manifest: Manifest, session: ResilientSession): Model {
    return new Model(manifest, session);
  }

  /** Where the model runs now: with "auto" a kernel that fails on the GPU takes it to WASM. */
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
   * Runs the model on a picture, or on an array of them where it takes a stack. Runs are answered in order; one that
   * fails does not touch the next. Where the GPU is lost, the engine is started again and the run repeated, once.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(guarded(() => this.#run(source, options)));
  }

  async #run(source: RunSource, options: RunOptions): Promise<Result> {
    checkRunOptions(this.manifest, options);
    const { signal, ...thresholds } = options;
    optionFeeds(this.manifest.inputs, thresholds, taskOptionNames(this.manifest));
    checkTaskOptions(this.manifest, thresholds);
    focusFeeds(this.manifest.inputs, thresholds.focusDistances);
    const id = this.#runs++;
    const result = await this.#send(
      source,
      (pictures) => (host) => host.run(id, pictures, thresholds),
      ({ pictures }) => {
        if (pictures.length === 0) return null;
        return (host) => host.run(id, transfer(pictures, transferableImages(pictures)), thresholds);
      },
      signal,
    ).catch((error: unknown) => {
      if (signal?.aborted) this.#cancel(id);
      throw error;
    });
    this.#session.warn(result.warnings);
    const { info } = this.#session.loaded;
    [info.preprocess, info.postprocess] = [result.preprocess, result.postprocess];
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
    requireListener(onResult);
    checkRunOptions(this.manifest, options);
    this.#session.check();
    const run = (source: HTMLVideoElement, signal: AbortSignal): Promise<Result> =>
      this.run(source, { ...options, signal });
    return new Stream(video, run, onResult, options.signal);
  }

  /** Returns what run() would feed for the picture. */
  preprocess(source: RunSource): Promise<TensorData> {
    return guarded(() =>
      this.#send(
        source,
        (pictures) => (host) => host.preprocess(pictures),
        () => null,
      ),
    );
  }

  /** Runs the graph of this backend on tensors and returns all its outputs as they are. Options may be left out. */
  runTensors(feeds: Tensors): Promise<Tensors> {
    return this.#ordered.add(guarded(() => this.#runTensors(feeds)));
  }

  async #runTensors(feeds: Tensors): Promise<Tensors> {
    const complete = completeFeeds(this.manifest.inputs, feeds);
    const call: WorkerCall<Tensors> = (host) => host.runTensors(complete);
    return this.#session.call(call, () => call);
  }

  /**
   * Releases what the model holds. The last model of an engine stops its worker, and with that the GPU device.
   * Runs under way reject with code "disposed". A second call does nothing.
   */
  async dispose(): Promise<void> {
    this.#session.end(new WebbuildError("disposed", "the model was disposed of", "call load() again"));
  }

  #cancel(id: number): void {
    void this.#session.loaded.connection.call((host) => host.cancel(id)).catch(() => {});
  }

  async #send<T>(
    source: RunSource,
    call: (pictures: Picture[]) => WorkerCall<T>,
    retry: (error: WebbuildError) => WorkerCall<T> | null,
    signal?: AbortSignal,
  ): Promise<T> {
    const sources = checkPictureCount(runInput(this.manifest.inputs), source);
    this.#session.check(signal);
    const { pictures, transferables } = await packImages(sources, this.#session.loaded.takesFrames);
    try {
      const first: WorkerCall<T> = (host) =>
        call(transfer(pictures, transferables))(host).catch(blamingOrigin);
      return await this.#session.call(first, retry, signal);
    } finally {
      // Those that moved are empty shells by now; those that did not must not be left to the garbage collector.
      closeImages(transferables);
    }
  }
}
