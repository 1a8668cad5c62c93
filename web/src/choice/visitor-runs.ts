// Times the backend in use by the visitor's own runs: extra runs in the worker would delay a click.

import type { LoadedModel } from "../fallback/loaded-model.js";
import type { Manifest } from "../manifest/manifest.js";
import { median, ROUNDS, type TimedRun } from "./timed-runs.js";
import type { Trial } from "./trial.js";

/** A run of the visitor, and how to repeat it on another backend. */
export interface VisitorRun {
  variant: Manifest;
  /** The loaded graph that ran. */
  loaded: LoadedModel;
  /** Runs with the same key take about the same time: see `runKey`. */
  key: string;
  /** The scene that it ran on. */
  scene: object;
  /** Copies the scene to another backend and returns the run there; null if the scene is gone. */
  repeatOn(elsewhere: LoadedModel): Promise<RepeatedRun | null>;
}

export interface RepeatedRun {
  /** Milliseconds of copying the scene, once for all runs on it. */
  transferTime: number;
  run: TimedRun;
}

interface Series {
  /** The latest run. */
  last: VisitorRun;
  times: number[];
}

/** Fewer runs give no reliable median: the first compiles shaders, any may be delayed. */
const MIN_RUNS = 3;
/** The maximum number of series (keys of runs) that are kept, the latest. */
const MAX_SERIES = 8;

export class VisitorRuns {
  /** The latest series first. */
  #series: Series[] = [];
  #runs = 0;
  #scenes = 0;
  #scene: object | null = null;

  record(run: VisitorRun, milliseconds: number): void {
    this.#runs++;
    if (run.scene !== this.#scene) this.#scenes++;
    this.#scene = run.scene;
    const { variant, key, loaded } = run;
    const same = this.#series.find(
      ({ last }) => last.variant === variant && last.key === key && last.loaded === loaded,
    );
    const times = [...(same?.times ?? []), milliseconds].slice(-ROUNDS);
    this.#series = [{ last: run, times }, ...this.#series.filter((each) => each !== same)].slice(
      0,
      MAX_SERIES,
    );
  }

  /** Returns a trial of the latest run with enough timings, else of the latest; null if there was no run. */
  trial(bytes: number): Trial | null {
    const found = this.#series.find(({ times }) => times.length >= MIN_RUNS) ?? this.#series[0];
    if (found === undefined) return null;
    const { last, times } = found;
    const share = this.#scenes / this.#runs;
    return {
      variant: last.variant,
      loaded: last.loaded,
      time: median(times),
      isEnough: times.length >= MIN_RUNS,
      bytes: bytes * share,
      own: oneAfterAnother(times),
      async runOn(elsewhere) {
        const there = await last.repeatOn(elsewhere);
        return there && (async () => (await there.run()) + there.transferTime * share);
      },
    };
  }

  /** Drops the references to scenes. */
  forget(): void {
    this.#series = [];
    this.#scene = null;
  }
}

/** Returns a timed run that replays the measured times in a cycle. */
function oneAfterAnother(times: readonly number[]): TimedRun {
  let next = 0;
  return async () => times[next++ % times.length] ?? Number.NaN;
}
