// Runs a model on a video's frames, one at a time. Frames that arrive during a run are dropped, never queued.

import { classNameOf } from "../preprocess/class-name.js";
import type { StreamTracks } from "../tracking/stream-tracks.js";
import { closeResults } from "./close-results.js";
import { WebbuildError } from "./errors.js";
import type { ModelState } from "./state.js";
import type { Result } from "./types.js";

type Run = (video: HTMLVideoElement, signal: AbortSignal) => Promise<Result>;
type OnResult = (result: Result, frame: StreamedFrame) => void | Promise<void>;

/**
 * What a stream keeps. `state`: null for a model without one. `own`: the state was made for this stream and
 * is released with it. `tracks`: null without tracking; they end with the stream.
 */
interface StreamState {
  state: ModelState | null;
  own: boolean;
  tracks: StreamTracks | null;
}

/** The video frame of a result of `stream()`. */
export interface StreamedFrame {
  /** Its time in the video, in seconds. */
  time: number;
  /** The number of frames that were shown since the previous one and not run. */
  dropped: number;
  /** Milliseconds from when the frame was shown to its result. */
  latency: number;
}

/** What `model.stream()` returns. */
export class Stream {
  /**
   * Resolves when the stream is stopped or the video ends. Rejects with a run's or the listener's error, and
   * if the video cannot be played.
   */
  readonly finished: Promise<void>;
  /** The state of this stream; null for a model without state. */
  readonly state: ModelState | null;
  readonly #stopping = new AbortController();
  readonly #tracks: StreamTracks | null;
  /** Whether to clear the tracks before the next frame runs: the current run began before the reset. */
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
   * Starts again with the next frame, for instance after a seek: sets the state to zeros and clears all
   * tracks. Ids begin at 1.
   */
  async reset(): Promise<void> {
    this.#resets = true;
    await this.state?.reset();
  }

  /** Drops the current run, and gives no further results. */
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

/** Throws if the source is no video, or the browser cannot wait for its frames. @internal */
export function requireVideo(source: unknown): void {
  const fix = "give a <video> element; for an image call run()";
  if (classNameOf(source) !== "HTMLVideoElement")
    throw new WebbuildError("invalid-image", "stream() takes a video", fix);
  if (!("requestVideoFrameCallback" in Object(source)))
    throw new WebbuildError("invalid-image", "this browser has no requestVideoFrameCallback()", fix);
}

/** Throws if the listener is not a function. @internal */
export function requireListener(onResult: unknown): void {
  if (typeof onResult === "function") return;
  const fix = "give a function: stream(video, (result) => { ... })";
  throw new WebbuildError("invalid-option", `onResult: wanted a function, got ${typeof onResult}`, fix);
}

/**
 * A frame: `count` is the number of frames that the browser has shown, null if unknown; `shown` the time by
 * performance.now(); `time` the position in the video.
 */
interface ShownFrame {
  count: number | null;
  shown: number;
  time: number;
}

/** Returns how many frames were shown between the two. */
function droppedBetween(before: ShownFrame | null, frame: ShownFrame): number {
  if (before === null || before.count === null || frame.count === null) return 0;
  return Math.max(0, frame.count - before.count - 1);
}

/** Returns the first frame. A paused video shows one too, but fires no callback for it. */
function firstFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<ShownFrame | null> {
  const stands = video.paused && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  if (!stands || signal.aborted) return nextFrame(video, signal);
  return Promise.resolve({ count: null, shown: performance.now(), time: video.currentTime });
}

/** Returns the next frame that is shown, null after the last. Rejects if the video cannot be played. */
function nextFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<ShownFrame | null> {
  return new Promise((resolve, reject) => {
    const settle = (frame: ShownFrame | null): void => {
      video.cancelVideoFrameCallback(handle);
      video.removeEventListener("ended", end);
      video.removeEventListener("error", fail);
      signal.removeEventListener("abort", end);
      resolve(frame);
    };
    const end = (): void => settle(null);
    const fail = (): void => {
      reject(playbackError(video.error));
      end();
    };
    const handle = video.requestVideoFrameCallback((shown, { presentedFrames, mediaTime }) =>
      settle({ count: presentedFrames, shown, time: mediaTime }),
    );
    if (signal.aborted || video.ended) return end();
    if (video.error !== null) return fail();
    video.addEventListener("ended", end);
    video.addEventListener("error", fail);
    signal.addEventListener("abort", end);
  });
}

function playbackError(error: MediaError | null): WebbuildError {
  const reason = error?.message || `MediaError code ${error?.code}`;
  const fix = "check the video's address and format, then call stream() again";
  return new WebbuildError("unreadable-image", `the video cannot be played: ${reason}`, fix);
}
