// A timed run that compares two backends: the same run on both.

import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { Manifest } from "../manifest/manifest.js";
import { UNKNOWN_INPUTS } from "./reasons.js";
import type { TimedRun } from "./timed-runs.js";

export interface Trial {
  /** The graph that is run, of those that the model has for several sizes or prompts. */
  variant: Manifest;
  /** The loaded graph on the backend in use. */
  loaded: LoadedModel;
  /** Milliseconds of a run on the backend in use. */
  time: number;
  /** Whether it ran often enough for a comparison. */
  isEnough: boolean;
  /** Bytes that cross between GPU and memory for a run on the other backend. */
  bytes: number;
  /** The run on the backend in use. */
  own: TimedRun;
  /** Returns the same run on another backend; null if its inputs are gone. */
  runOn(elsewhere: LoadedModel): Promise<TimedRun | null>;
}

/** Returns what to time; null where there is nothing yet, a reason where there never is. */
export type FindTrial = () => Promise<Trial | string | null>;

/** Times a model of one stage by a run on inputs that the worker makes up. */
export async function syntheticTrial(session: ResilientSession, variant: Manifest): Promise<Trial | string> {
  const { loaded } = session;
  const own = timedRun(loaded);
  await own();
  const time = await own();
  if (Number.isNaN(time)) return UNKNOWN_INPUTS;
  return {
    variant,
    loaded,
    time,
    isEnough: true,
    bytes: 0,
    own,
    runOn: async (elsewhere) => timedRun(elsewhere),
  };
}

/** NaN for a model that cannot be run so. */
function timedRun({ connection }: LoadedModel): TimedRun {
  return async () => (await connection.call((host) => host.timedRun())) ?? Number.NaN;
}
