// The runtime's entry for bundlers: each file has a URL that bundlers recognize.
import { load as loadBundle } from "./webbuild.js";

export { depthAt, Model, Stream, WebbuildError } from "./webbuild.js";

const worker = () =>
  new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "webbuild" });

const addresses = { "runtime/tokenizer.js": new URL("./tokenizer.js", import.meta.url).href };

/** Loads a bundle by the URL of its manifest. */
export const load = (manifestUrl, options) =>
  loadBundle(manifestUrl, { worker, ...options, addresses: { ...addresses, ...options?.addresses } });
