// The worker: for every port that the page sends a Host that answers there, all of them on one engine. Under another
// names it searches indices, or keeps tracks.

import { expose } from "comlink";
import { SharedEngine } from "./engine/shared-engine.js";
import { SEARCH_WORKER, searches } from "./search/searches.js";
import { TRACKING_WORKER, trackFrames } from "./tracking/track-frames.js";
import { serveRequests } from "./worker/serve-requests.js";
import { registerErrorTransfer } from "./worker/transfer.js";
import { trustOwnWorkers } from "./worker/trusted-url.js";
import { WorkerHost } from "./worker/worker-host.js";

function serveModels(): void {
  registerErrorTransfer();
  trustOwnWorkers();
  const engine = new SharedEngine();
  addEventListener("message", ({ data }: MessageEvent<MessagePort>) => expose(new WorkerHost(engine), data));
}

const { name } = globalThis as { name?: unknown };
if (name === SEARCH_WORKER) serveRequests(globalThis, searches());
else if (name === TRACKING_WORKER) serveRequests(globalThis, trackFrames());
else serveModels();
