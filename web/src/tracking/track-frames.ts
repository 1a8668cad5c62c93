// The worker's side of a stream's tracks: it keeps them until the page stops it.

import { ByteTracker } from "./byte-tracker.js";
import { unpackSeen } from "./seen.js";
import type { TrackSettings } from "./track-options.js";

/** The name of a tracking worker, by which the script of all workers knows its purpose. */
export const TRACKING_WORKER = "webbuild-tracking";

/**
 * A request: first the settings, then for each frame its packed detections, their `count`, and whether tracks
 * start again.
 */
export type TrackingRequest =
  | { settings: TrackSettings }
  | { begins: boolean; count: number; seen: Float64Array };

/** The id of each detection, null for none; null after the settings. */
export type TrackingAnswer = Float64Array | null;

/** Returns the function that handles requests. */
export function trackFrames(): (request: TrackingRequest) => TrackingAnswer {
  let tracker: ByteTracker | null = null;
  return (request) => {
    if ("settings" in request) {
      tracker = new ByteTracker(request.settings);
      return null;
    }
    if (request.begins) tracker?.reset();
    const ids = tracker?.updateSeen(unpackSeen(request.seen), request.count) ?? [];
    return Float64Array.from(ids, (id) => id ?? 0);
  };
}
