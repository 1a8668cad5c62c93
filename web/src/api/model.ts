// A loaded model, as the page sees it.

import { transfer } from "comlink";
import { type ResilientSession, rejectOnAbort, type WorkerCall } from "../fallback/recovery.js";
import type { VariantSessions } from "../fallback/variant-sessions.js";
import { focusFeeds } from "../inputs/focus-distances.js";
import { completeFeeds, optionFeeds } from "../inputs/validate-inputs.js";
import type { Manifest } from "../manifest/manifest.js";
import { pictureSize, pictureSizes, sameSize } from "../manifest/variants.js";
import { fittingSize, requestedSize } from "../preprocess/fitting-size.js";
import { checkPictureCount, runInput } from "../preprocess/image-input.js";
import { blamingOrigin, closeImages, packImages } from "../preprocess/image-source.js";
import { type Picture, sizeOf, transferableImages } from "../preprocess/pixels.js";
import { checkTaskOptions, taskOptionNames } from "../tasks/task-options.js";
import { OrderedResults } from "../worker/queue.js";
import { guarded, WebbuildError } from "./errors.js";
import { checkRunOptions } from "./options.js";
import { requireListener, requireVideo, Stream } from "./stream.js";
import type {
  Backend,
  ModelInfo,
  PictureSize,
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
  /** Width and height of the pictures that it runs at, as `run()` takes them; none where it takes no picture. */
  readonly sizes: readonly PictureSize[];
  readonly #sessions: VariantSessions;
  readonly #session: ResilientSession;
  readonly #ordered = new OrderedResults();
  #runs = 0;

  private constructor(manifest: Manifest, sessions: VariantSessions) {
    this.manifest = manifest;
    this.sizes = pictureSizes(sessions.variants);
    this.#sessions = sessions;
    this.#session = sessions.first;
  }

  /** @internal */
  static of(manifest: Manifest, sessions: VariantSessions): Model {
    return new Model(manifest, sessions);
  }

  /** Where the model runs now, at the size that was loaded first: with "auto" a kernel that fails on the GPU takes it to WASM. */
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
   * fails does not touch the next. Where the GPU is lost, the engine is started again and the run repeated, once. The first
   * run at another size loads that.
   */
  run(source: RunSource, options: RunOptions = {}): Promise<Result> {
    return this.#ordered.add(guarded(() => this.#run(source, options)));
  }

  async #run(source: RunSource, options: RunOptions): Promise<Result> {
    checkRunOptions(this.manifest, options);
    const { signal, size, ...thresholds } = options;
    optionFeeds(this.manifest.inputs, thresholds, taskOptionNames(this.manifest));
    checkTaskOptions(this.manifest, thresholds);
    focusFeeds(this.manifest.inputs, thresholds.focusDistances);
    const id = this.#runs++;
    const result = await this.#send(
      source,
      requestedSize(this.sizes, size),
      (pictures) => (host) => host.run(id, pictures, thresholds),
      ({ pictures }) => {
        if (pictures.length === 0) return null;
        return (host) => host.run(id, transfer(pictures, transferableImages(pictures)), thresholds);
      },
      signal,
      (session) => cancel(session, id),
    );
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
  preprocess(source: RunSource, { size }: Pick<RunOptions, "size"> = {}): Promise<TensorData> {
    return guarded(() =>
      this.#send(
        source,
        requestedSize(this.sizes, size),
        (pictures) => (host) => host.preprocess(pictures),
        () => null,
      ),
    );
  }

  /**
   * Runs the graph of this backend on tensors and returns all its outputs as they are. Options may be left out. Of several
   * sizes it is the one of the tensors.
   */
  runTensors(feeds: Tensors): Promise<Tensors> {
    return this.#ordered.add(guarded(() => this.#runTensors(feeds)));
  }

  async #runTensors(feeds: Tensors): Promise<Tensors> {
    const [first = this.manifest, ...others] = this.#sessions.variants;
    const variant = [first, ...others].find(({ inputs }) => haveShapes(inputs, feeds)) ?? first;
    const complete = completeFeeds(variant.inputs, feeds);
    const call: WorkerCall<Tensors> = (host) => host.runTensors(complete);
    return (await this.#sessions.open(variant)).call(call, () => call);
  }

  /**
   * Releases what the model holds. The last model of an engine stops its worker, and with that the GPU device.
   * Runs under way reject with code "disposed". A second call does nothing.
   */
  async dispose(): Promise<void> {
    this.#sessions.end(new WebbuildError("disposed", "the model was disposed of", "call load() again"));
  }

  /** `aborted` hears of a session whose call `signal` has stopped. */
  async #send<T>(
    source: RunSource,
    size: PictureSize | null,
    call: (pictures: Picture[]) => WorkerCall<T>,
    retry: (error: WebbuildError) => WorkerCall<T> | null,
    signal?: AbortSignal,
    aborted?: (session: ResilientSession) => void,
  ): Promise<T> {
    const sources = checkPictureCount(runInput(this.manifest.inputs), source);
    this.#session.check(signal);
    const chooses = size === null && this.sizes.length > 1;
    const { pictures, transferables } = await packImages(sources, this.#session.loaded.takesFrames, chooses);
    try {
      const session = await rejectOnAbort(this.#sessions.open(this.#variantFor(size, pictures)), signal);
      const first: WorkerCall<T> = (host) =>
        call(transfer(pictures, transferables))(host).catch(blamingOrigin);
      return await session.call(first, retry, signal).catch((error: unknown) => {
        if (signal?.aborted) aborted?.(session);
        throw error;
      });
    } finally {
      // Those that moved are empty shells by now; those that did not must not be left to the garbage collector.
      closeImages(transferables);
    }
  }

  /** Returns the variant of a size, or of the one that fits the first of the pictures best. */
  #variantFor(asked: PictureSize | null, [picture]: readonly Picture[]): Manifest {
    const [first = this.manifest, ...others] = this.#sessions.variants;
    let size = asked;
    if (size === null && this.sizes.length > 1 && picture !== undefined && !(picture instanceof Blob)) {
      const { width, height } = sizeOf(picture);
      size = fittingSize(this.sizes, width, height);
    }
    if (size === null) return first;
    const wanted = size;
    return [first, ...others].find((each) => sameSize(pictureSize(each) ?? [0, 0], wanted)) ?? first;
  }
}

function cancel(session: ResilientSession, id: number): void {
  void session.loaded.connection.call((host) => host.cancel(id)).catch(() => {});
}

/** Whether tensors are of the shapes that inputs have; those that are left out fit any. */
function haveShapes(inputs: Manifest["inputs"], feeds: Tensors): boolean {
  return inputs.every(({ name, shape }) => {
    const dims = Object(feeds)[name]?.dims;
    return !Array.isArray(dims) || dims.join() === shape.join();
  });
}
