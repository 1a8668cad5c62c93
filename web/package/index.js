// The runtime as bundlers want it: its files by addresses that they can see.
import { load as loadBundle } from "./webbuild.js";

export { depthAt, Model, Stream, WebbuildError } from "./webbuild.js";

const worker = () =>
  new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "webbuild" });

const addresses = { "runtime/tokenizer.js": new URL("./tokenizer.js", import.meta.url).href };

/** Loads the bundle of a manifest's address. */
export const load = (manifestUrl, options) =>
  loadBundle(manifestUrl, { worker, ...options, addresses: { ...addresses, ...options?.addresses } });
