// The tracking worker of a stream, from the sources.

import { TRACKING_WORKER } from "../../src/tracking/track-frames.js";

export function startTrackingWorker(): Worker {
  const script = new URL("../../src/worker.ts", import.meta.url);
  return new Worker(script, { type: "module", name: TRACKING_WORKER });
}
