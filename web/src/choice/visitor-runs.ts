// The visitor's own runs of a stage, by which the backend in use is timed: extra runs in its worker would delay a click.

import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { Manifest } from "../manifest/manifest.js";
import { median, ROUNDS, type TimedRun } from "./timed-runs.js";
import type { Trial } from "./trial.js";

/** A run of the visitor, and how it is repeated on another backend. */
export interface VisitorRun {
  variant: Manifest;
  /** Where it ran. */
  place: LoadedModel;
  /** Runs of one form take about the same time. */
  form: string;
  /** The scene that it ran on. */
  scene: object;
  /** Copies the scene to another backend and returns the run there; null if the scene is gone. */
  on(elsewhere: LoadedModel): Promise<RepeatedRun | null>;
}

export interface RepeatedRun {
  /** Milliseconds that copying the scene took: once for all runs on it. */
  transferTime: number;
  run: TimedRun;
}

interface Series {
  /** The latest. */
  last: VisitorRun;
  times: number[];
}

/** Fewer say nothing: the first compiles, and any may be held up by something else. */
const LEAST = 3;
/** How many forms of runs are told apart, at most. */
const FORMS = 8;

export class VisitorRuns {
  /** The latest first. */
  #series: Series[] = [];
  #runs = 0;
  #scenes = 0;
  #scene: object | null = null;

  record(run: VisitorRun, milliseconds: number): void {
    this.#runs++;
    if (run.scene !== this.#scene) this.#scenes++;
    this.#scene = run.scene;
    const { variant, form, place } = run;
    const same = this.#series.find(
      ({ last }) => last.variant === variant && last.form === form && last.place === place,
    );
    const times = [...(same?.times ?? []), milliseconds].slice(-ROUNDS);
    this.#series = [{ last: run, times }, ...this.#series.filter((each) => each !== same)].slice(0, FORMS);
  }

  /** Returns the latest run that was made often enough, else the latest; null where there is none. */
  trial(bytes: number): Trial | null {
    const found = this.#series.find(({ times }) => times.length >= LEAST) ?? this.#series[0];
    if (found === undefined) return null;
    const { last, times } = found;
    const share = this.#scenes / this.#runs;
    return {
      variant: last.variant,
      place: last.place,
      time: median(times),
      isEnough: times.length >= LEAST,
      bytes: bytes * share,
      own: oneAfterAnother(times),
      async on(elsewhere) {
        const there = await last.on(elsewhere);
        return there && (async () => (await there.run()) + there.transferTime * share);
      },
    };
  }

  /** Lets go of the scenes. */
  forget(): void {
    this.#series = [];
    this.#scene = null;
  }
}

/** Returns what the runs took, from the first on again after the last. */
function oneAfterAnother(times: readonly number[]): TimedRun {
  let next = 0;
  return async () => times[next++ % times.length] ?? Number.NaN;
}
