// The visitor's own runs of a stage: what it is timed by, since whatever runs in its worker makes a click wait.

import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { Manifest } from "../manifest/manifest.js";
import { median, ROUNDS, type TimedRun } from "./timed-runs.js";
import type { Trial } from "./trial.js";

/** A run that was asked for, and how the same is asked in another place. */
export interface VisitorRun {
  variant: Manifest;
  /** Where it ran. */
  place: LoadedModel;
  /** Runs of one form take about the same time. */
  form: string;
  /** The scene that it ran on. */
  scene: object;
  /** Takes the scene to another place; null where it is gone. Nothing runs where the visitor's runs do. */
  on(rival: LoadedModel): Promise<Crossing | null>;
}

export interface Crossing {
  /** Milliseconds that the scene takes to get there, once, however often it is asked. */
  crossing: number;
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

  heard(run: VisitorRun, milliseconds: number): void {
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
      async on(rival) {
        const there = await last.on(rival);
        return there && (async () => (await there.run()) + there.crossing * share);
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
