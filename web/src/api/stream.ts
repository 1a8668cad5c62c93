// A video's frames into results, one at a time: frames that come while one is answered are dropped, never queued.

import { classNameOf } from "../preprocess/class-name.js";
import type { StreamTracks } from "../tracking/stream-tracks.js";
import { closeResults } from "./close-results.js";
import { WebbuildError } from "./errors.js";
import type { ModelState } from "./state.js";
import type { Result } from "./types.js";

type Run = (video: HTMLVideoElement, signal: AbortSignal) => Promise<Result>;
type OnResult = (result: Result, frame: StreamedFrame) => void | Promise<void>;

/**
 * The state of a stream, null for a model without one; `own`: made for this stream, and released with it. Its tracks, null
 * where it keeps none: they end with it.
 */
interface StreamState {
  state: ModelState | null;
  own: boolean;
  tracks: StreamTracks | null;
}

/** The frame of a video that a result of `stream()` is of. */
export interface StreamedFrame {
  /** Its place in the video, in seconds. */
  time: number;
  /** How many frames were shown since the one before, and not run. */
  dropped: number;
  /** Milliseconds from its being shown to its result. */
  latency: number;
}

/** What `model.stream()` gives. */
export class Stream {
  /** Resolves when the stream was stopped or the video ended. Rejects with what a run or the listener threw. */
  readonly finished: Promise<void>;
  /** The state of this stream; null for a model without state. */
  readonly state: ModelState | null;
  readonly #stopping = new AbortController();
  readonly #tracks: StreamTracks | null;
  /** Whether the tracks are to be forgotten before the next frame is run: the one under way is of before. */
  #resets = false;

  /** @internal */
  constructor(
    video: HTMLVideoElement,
    run: Run,
    onResult: OnResult,
    signal: AbortSignal | undefined,
    { state, own, tracks }: StreamState,
  ) {
    this.state = state;
    this.#tracks = tracks;
    const stop = (): void => this.stop();
    const reset = (): void => void this.reset();
    video.addEventListener("emptied", reset);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    this.finished = this.#loop(video, run, onResult).finally(() => {
      video.removeEventListener("emptied", reset);
      if (own) void state?.release();
      tracks?.end();
      signal?.removeEventListener("abort", stop);
    });
  }

  /**
   * Begins again with the next frame that is run, for instance after a seek: sets the state to zeros and forgets all tracks,
   * whose ids begin at 1.
   */
  async reset(): Promise<void> {
    this.#resets = true;
    await this.state?.reset();
  }

  /** Drops the run under way, and gives no further result. */
  stop(): void {
    this.#stopping.abort();
    this.#tracks?.end();
  }

  async #loop(video: HTMLVideoElement, run: Run, onResult: OnResult): Promise<void> {
    const { signal } = this.#stopping;
    const began = await firstFrame(video, signal);
    for (let frame = began, before = began; frame !== null; frame = await nextFrame(video, signal)) {
      const resets = this.#resets;
      this.#resets = false;
      const result = await run(video, signal).catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
      if (result === null) return;
      if (!signal.aborted) await this.#track(result, resets);
      if (signal.aborted) return closeResults(result);
      const dropped = droppedBetween(before, frame);
      const latency = Math.max(0, performance.now() - frame.shown); // of a frame that is shown in a moment
      await onResult(result, { time: frame.time, dropped, latency });
      before = frame;
    }
  }

  async #track(result: Result, resets: boolean): Promise<void> {
    try {
      await this.#tracks?.update(result, resets);
    } catch (error) {
      closeResults(result);
      throw error;
    }
  }
}

/** Throws unless frames of the video can be waited for here. @internal */
export function requireVideo(source: unknown): void {
  const fix = "give a <video> element; call run() for what is no video";
  if (classNameOf(source) !== "HTMLVideoElement")
    throw new WebbuildError("invalid-image", "stream() takes a video", fix);
  if (!("requestVideoFrameCallback" in Object(source)))
    throw new WebbuildError("invalid-image", "this browser has no requestVideoFrameCallback()", fix);
}

/** Throws unless results can be given to it. @internal */
export function requireListener(onResult: unknown): void {
  if (typeof onResult === "function") return;
  const fix = "give a function: stream(video, (result) => { ... })";
  throw new WebbuildError("invalid-option", `onResult: wanted a function, got ${typeof onResult}`, fix);
}

/** `count` is how many frames the browser has shown, null where that is not known, `shown` when (as performance.now() counts), `time` the frame's place. */
interface ShownFrame {
  count: number | null;
  shown: number;
  time: number;
}

/** How many frames were shown after the one and before the other. */
function droppedBetween(before: ShownFrame | null, frame: ShownFrame): number {
  if (before === null || before.count === null || frame.count === null) return 0;
  return Math.max(0, frame.count - before.count - 1);
}

/** A video that stands still shows a frame too, of which it will not tell. */
function firstFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<ShownFrame | null> {
  const stands = video.paused && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  if (!stands || signal.aborted) return nextFrame(video, signal);
  return Promise.resolve({ count: null, shown: performance.now(), time: video.currentTime });
}

/** Returns the next frame that is shown, null when there is none any more. */
function nextFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<ShownFrame | null> {
  return new Promise((resolve) => {
    const settle = (frame: ShownFrame | null): void => {
      video.cancelVideoFrameCallback(handle);
      video.removeEventListener("ended", end);
      signal.removeEventListener("abort", end);
      resolve(frame);
    };
    const end = (): void => settle(null);
    const handle = video.requestVideoFrameCallback((shown, { presentedFrames, mediaTime }) =>
      settle({ count: presentedFrames, shown, time: mediaTime }),
    );
    if (signal.aborted || video.ended) return end();
    video.addEventListener("ended", end);
    signal.addEventListener("abort", end);
  });
}
