// Detections of frames, one after another, and the ids that they keep.

import type { Result } from "../api/types.js";
import { ByteTracker } from "./byte-tracker.js";
import { FrameSize } from "./frame-size.js";
import { detectionsOf, type TrackOptions, trackSettings } from "./track-options.js";
import { writeIds } from "./write-ids.js";

/** Tracks of frames that a page runs itself, on the thread that calls it. `stream()` has its own, in a worker. */
export class Tracker {
  readonly #tracker: ByteTracker;
  readonly #size = new FrameSize();

  /** Throws "invalid-option". */
  constructor(options: TrackOptions = {}) {
    this.#tracker = new ByteTracker(trackSettings(options));
  }

  /**
   * Takes the result of the next frame, and writes into each detection that a track has its id, `track`. A picture of another
   * size begins again. Throws "invalid-option" for a result without boxes.
   */
  update(result: Result): void {
    const detections = detectionsOf(result);
    if (this.#size.changesTo(result)) this.#tracker.reset();
    writeIds(detections, this.#tracker.update(detections));
  }

  /** Forgets all tracks: ids begin at 1. */
  reset(): void {
    this.#tracker.reset();
  }
}
