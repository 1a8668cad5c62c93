// The tracks of a stream: they are written into its results.

import type { Result } from "../api/types.js";
import { ByteTracker } from "./byte-tracker.js";
import { detectionsOf, type TrackSettings } from "./track-options.js";

export class ResultTracks {
  readonly #tracker: ByteTracker;
  #size = "";

  constructor(settings: TrackSettings) {
    this.#tracker = new ByteTracker(settings);
  }

  /** Writes into each detection that a track has its id. A picture of another size begins again. */
  write(result: Result): void {
    const size = `${result.width}x${result.height}`;
    if (size !== this.#size) this.#tracker.reset();
    this.#size = size;
    const detections = detectionsOf(result);
    this.#tracker.update(detections).forEach((id, index) => {
      const detection = detections[index];
      if (id !== null && detection !== undefined) detection.track = id;
    });
  }

  reset(): void {
    this.#tracker.reset();
  }
}
