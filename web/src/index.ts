// The runtime's public face: load() and what it gives.

export type * from "./api.js";
export { depthAt } from "./depth-at.js";
export { type ErrorCode, WebbuildError } from "./errors.js";
export { load } from "./load.js";
export type * from "./manifest.js";
export { Model } from "./model.js";
export { Stream } from "./stream.js";
