// The runtime's public face: load() and what it gives.

export { type ErrorCode, WebbuildError } from "./api/errors.js";
export { load } from "./api/load.js";
export { Model } from "./api/model.js";
export { Stream } from "./api/stream.js";
export type * from "./api/types.js";
export { depthAt } from "./tasks/depth/depth-at.js";
