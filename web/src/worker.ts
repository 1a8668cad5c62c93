// The worker: a Host that answers the page.

import { expose } from "comlink";
import { Host } from "./host.js";
import { carryErrors } from "./wire.js";

carryErrors();
expose(new Host());
