// The worker: for every port that the page sends a Host that answers there, all of them on one engine.

import { expose } from "comlink";
import { Host } from "./host.js";
import { SharedEngine } from "./shared-engine.js";
import { carryErrors } from "./wire.js";

carryErrors();
const engine = new SharedEngine();
addEventListener("message", ({ data }: MessageEvent<MessagePort>) => expose(new Host(engine), data));
