// The option `track` of model.stream(): its values, and the models that can be tracked.

import { shown, WebbuildError } from "../api/errors.js";
import type { RunOptions } from "../api/run-options.js";
import type { Detection, Result } from "../api/types.js";

/** How detections of a video become tracks. Names and defaults are ByteTrack's where it has the setting. */
export interface TrackOptions {
  /** Detections with this score or more are matched first. Default: 0.5. */
  highScore?: number | undefined;
  /** Detections between this score and `highScore` continue tracks, but do not begin them. Default: 0.1. */
  lowScore?: number | undefined;
  /** A detection with this score or more that matches no track begins one. Default: `highScore` + 0.1. */
  newScore?: number | undefined;
  /** A track is matched with a detection if their IoU, times its score, is above this. Default: 0.2. */
  matchIou?: number | undefined;
  /**
   * The number of frames (of those that run) that a lost track is kept: it may be found again up to one frame
   * later. Default: 30.
   */
  keepFrames?: number | undefined;
}

/** Options of `stream()`: those of `run()`, and `track`. */
export interface StreamOptions extends RunOptions {
  /** Give each detection of a track its id, `track`. Default: false. */
  track?: boolean | TrackOptions | undefined;
}

export type TrackSettings = { readonly [Name in keyof TrackOptions]-?: number };

const DEFAULTS = { highScore: 0.5, lowScore: 0.1, matchIou: 0.2, keepFrames: 30 };
const NAMES = ["highScore", "lowScore", "newScore", "matchIou", "keepFrames"] as const;

/**
 * Returns the options of a run, and the settings of its tracks, null without tracking. Throws
 * "invalid-option". @internal
 */
export function streamOptions(options: StreamOptions): [RunOptions, TrackSettings | null] {
  if (typeof options !== "object" || options === null) return [options, null]; // checkRunOptions() throws
  const { track, ...others } = options;
  if (track === undefined || track === false) return [others, null];
  return [others, trackSettings(track === true ? {} : track)];
}

/** Returns the settings, with defaults. Throws "invalid-option". @internal */
export function trackSettings(options: TrackOptions): TrackSettings {
  if (typeof options !== "object" || options === null || Array.isArray(options))
    throw wrong(
      `track: wanted true, false or an object, got ${String(options)}`,
      "give true for the defaults",
    );
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) checkSetting(name, value);
  const settings = { ...DEFAULTS, ...Object.fromEntries(given) };
  const all: TrackSettings = { newScore: Math.min(1, settings.highScore + 0.1), ...settings };
  if (all.lowScore > all.highScore)
    throw wrong(
      `track.lowScore: ${all.lowScore} is above highScore, ${all.highScore}`,
      "give a lowScore of at most highScore",
    );
  return all;
}

function checkSetting(name: string, value: unknown): void {
  if (!NAMES.some((known) => known === name))
    throw wrong(`track.${name}: there is no such option`, `leave it out: track takes ${NAMES.join(", ")}`);
  const isNumber = typeof value === "number" && value >= 0;
  if (name === "keepFrames" && !(isNumber && Number.isInteger(value)))
    throw wrong(
      `track.keepFrames: wanted a whole number from 0 on, got ${shown(value)}`,
      "give a number of frames",
    );
  if (name !== "keepFrames" && !(isNumber && value <= 1))
    throw wrong(
      `track.${name}: wanted a number from 0 to 1, got ${shown(value)}`,
      "give a number from 0 to 1",
    );
}

/** Returns the detections of a result. Throws "invalid-option" for a result without boxes. @internal */
export function detectionsOf(result: Result): readonly Detection[] {
  if ("detections" in result) return result.detections;
  if ("poses" in result) return result.poses;
  if ("segments" in result) return result.segments;
  if ("objects" in result) return result.objects;
  throw wrong("track: the results of this model hold no boxes", "leave track out");
}

function wrong(what: string, fix: string): WebbuildError {
  return new WebbuildError("invalid-option", what, fix);
}
