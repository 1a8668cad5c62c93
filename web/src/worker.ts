// The worker. For every port from the page it creates a WorkerHost; all share one engine. By the worker's
// name it searches indices or tracks objects instead.

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
