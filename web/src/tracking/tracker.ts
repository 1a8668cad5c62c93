// Detections of frames, one after another, and the ids that they keep.

import type { Result } from "../api/types.js";
import { ByteTracker } from "./byte-tracker.js";
import { detectionsOf, type TrackOptions, trackSettings } from "./track-options.js";

/** Tracks of frames that a page runs itself. `stream()` has its own. */
export class Tracker {
  readonly #tracker: ByteTracker;
  #size = "";

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
    const size = `${result.width}x${result.height}`;
    if (size !== this.#size) this.#tracker.reset();
    this.#size = size;
    this.#tracker.update(detections).forEach((id, index) => {
      const detection = detections[index];
      if (detection === undefined) return;
      if (id === null) delete detection.track;
      else detection.track = id;
    });
  }

  /** Forgets all tracks: ids begin at 1. */
  reset(): void {
    this.#tracker.reset();
  }
}
