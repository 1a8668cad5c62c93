// The worker: for every port that the page sends a Host that answers there, all of them on one engine.

import { expose } from "comlink";
import { SharedEngine } from "./engine/shared-engine.js";
import { registerErrorTransfer } from "./worker/transfer.js";
import { trustOwnWorkers } from "./worker/trusted-url.js";
import { WorkerHost } from "./worker/worker-host.js";

registerErrorTransfer();
trustOwnWorkers();
const engine = new SharedEngine();
addEventListener("message", ({ data }: MessageEvent<MessagePort>) => expose(new WorkerHost(engine), data));
