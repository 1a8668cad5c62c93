// The worker's half of a stream's tracks: it keeps them until the page stops it.

import { ByteTracker } from "./byte-tracker.js";
import { unpackSeen } from "./seen.js";
import type { TrackSettings } from "./track-options.js";

/** The name of such a worker, by which the script of all workers knows what it is for. */
export const TRACKING_WORKER = "webbuild-tracking";

/** What the page says: first the settings, then what each frame shows, `count` detections, and whether its tracks begin again. */
export type TrackingRequest =
  | { settings: TrackSettings }
  | { begins: boolean; count: number; seen: Float64Array };

/** The id of each detection, null for none; null of the settings. */
export type TrackingAnswer = Float64Array | null;

/** Returns what answers requests. */
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
