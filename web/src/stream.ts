// A video's frames into results, one at a time: frames that come while one is answered are dropped, never queued.

import type { Result, StreamedFrame } from "./api.js";
import { WebbuildError } from "./errors.js";

type Run = (video: HTMLVideoElement, signal: AbortSignal) => Promise<Result>;
type OnResult = (result: Result, frame: StreamedFrame) => void | Promise<void>;

/** What `model.stream()` gives. */
export class Stream {
  /** Resolves when the stream was stopped or the video ended. Rejects with what a run or the listener threw. */
  readonly finished: Promise<void>;
  readonly #stopping = new AbortController();

  /** @internal */
  constructor(video: HTMLVideoElement, run: Run, onResult: OnResult, signal: AbortSignal | undefined) {
    const stop = (): void => this.stop();
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop);
    this.finished = this.#go(video, run, onResult).finally(() => signal?.removeEventListener("abort", stop));
  }

  /** Drops the run under way, and gives no further result. */
  stop(): void {
    this.#stopping.abort();
  }

  async #go(video: HTMLVideoElement, run: Run, onResult: OnResult): Promise<void> {
    const { signal } = this.#stopping;
    const began = await firstFrame(video, signal);
    for (let frame = began, before = began; frame !== null; frame = await nextFrame(video, signal)) {
      const result = await run(video, signal).catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
      if (result === null || signal.aborted) return;
      const dropped = Math.max(0, frame.count - (before?.count ?? frame.count) - 1);
      await onResult(result, { time: frame.time, dropped, latency: performance.now() - frame.shown });
      before = frame;
    }
  }
}

/** Throws unless frames of the video can be waited for here. */
export function requireVideo(source: unknown): void {
  const fix = "give a <video> element; call run() for what is no video";
  if (!(source instanceof HTMLVideoElement))
    throw new WebbuildError("wrong-picture", "stream() takes a video", fix);
  if (!("requestVideoFrameCallback" in source))
    throw new WebbuildError("wrong-picture", "this browser does not tell of a video's frames", fix);
}

/** `count` is how many frames the browser has shown, `shown` when (as performance.now() counts), `time` the frame's place. */
interface Frame {
  count: number;
  shown: number;
  time: number;
}

/** A video that stands still shows a frame too, of which it will not tell. */
function firstFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<Frame | null> {
  const stands = video.paused && video.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
  if (!stands || signal.aborted) return nextFrame(video, signal);
  return Promise.resolve({ count: 0, shown: performance.now(), time: video.currentTime });
}

/** Returns the next frame that is shown, null when there is none any more. */
function nextFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<Frame | null> {
  return new Promise((resolve) => {
    const settle = (frame: Frame | null): void => {
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
