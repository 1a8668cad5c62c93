// A run that compares two backends: the same run, timed on both.

import type { LoadedModel } from "../fallback/loaded-model.js";
import type { ResilientSession } from "../fallback/resilient-session.js";
import type { Manifest } from "../manifest/manifest.js";
import { UNKNOWN_INPUTS } from "./reasons.js";
import type { TimedRun } from "./timed-runs.js";

export interface Trial {
  /** The variant to run, if the model has several sizes or prompt lengths. */
  variant: Manifest;
  /** The loaded graph on the backend in use. */
  loaded: LoadedModel;
  /** Milliseconds of a run on the backend in use. */
  time: number;
  /** Whether it ran often enough for a comparison. */
  isEnough: boolean;
  /** Bytes copied between GPU and memory for a run on the other backend. */
  bytes: number;
  /** The run on the backend in use. */
  own: TimedRun;
  /** Returns the same run on another backend; null if its inputs are gone. */
  runOn(elsewhere: LoadedModel): Promise<TimedRun | null>;
}

/** Returns the run to time; null if there is none yet, a string (the reason) if there never will be. */
export type FindTrial = () => Promise<Trial | string | null>;

/** Times a model of one stage with synthetic inputs, which the worker makes. */
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

/** Returns NaN for a model that cannot be run so. */
function timedRun({ connection }: LoadedModel): TimedRun {
  return async () => (await connection.call((host) => host.timedRun())) ?? Number.NaN;
}
