// Tracks detections through frames and gives them ids.

import type { Result } from "../api/types.js";
import { ByteTracker } from "./byte-tracker.js";
import { FrameSize } from "./frame-size.js";
import { detectionsOf, type TrackOptions, trackSettings } from "./track-options.js";
import { writeIds } from "./write-ids.js";

/** Tracks objects in frames that a page runs itself, in the calling thread. `stream()` uses a worker. */
export class Tracker {
  readonly #tracker: ByteTracker;
  readonly #size = new FrameSize();

  /** Throws "invalid-option" for an invalid option. */
  constructor(options: TrackOptions = {}) {
    this.#tracker = new ByteTracker(trackSettings(options));
  }

  /**
   * Takes the result of the next frame, and sets the id, `track`, of each detection with a track. A picture
   * of another size starts again. Throws "invalid-option" for a result without boxes.
   */
  update(result: Result): void {
    const detections = detectionsOf(result);
    if (this.#size.changesTo(result)) this.#tracker.reset();
    writeIds(detections, this.#tracker.update(detections));
  }

  /** Clears all tracks: ids begin at 1. */
  reset(): void {
    this.#tracker.reset();
  }
}
