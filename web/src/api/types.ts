// All public types: inputs, options, results and info.

export type { Manifest } from "../manifest/manifest.js";
export type { EverythingOptions } from "../tasks/mask-generation/everything/settings.js";
export type { StreamOptions, TrackOptions } from "../tracking/track-options.js";
export type { Anchor, Crossings, Line } from "../tracking/zones.js";
export type { Warning } from "./errors.js";
export type * from "./geometry.js";
export type * from "./glue-function.js";
export type * from "./load-options.js";
export type { ModelEvents } from "./model-events.js";
export type * from "./model-info.js";
export type * from "./picture.js";
export type * from "./results.js";
export type * from "./run-options.js";
export type * from "./run-result.js";
export type { StateSnapshot } from "./state-snapshot.js";
export type { StreamedFrame } from "./stream.js";
export type * from "./tensors.js";
export type * from "./texts.js";
