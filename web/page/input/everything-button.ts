// The "Find everything" button of mask generation: its progress, its stop, and the thresholds of score and stability.

import type { EverythingOptions, EverythingResult } from "../../src/index.js";
import { errorText } from "../search/error-text.js";
import { isAbort } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { type GridThresholds, lowerThresholds } from "./grid-thresholds.js";

/**
 * Returns the found objects, null if the picture has changed meanwhile. `looking` is called with true while the first
 * stage runs, before the points.
 */
export type FindEverything = (
  options: EverythingOptions,
  looking: (on: boolean) => void,
) => Promise<EverythingResult | null>;

/** Points per side of the small grid that runs first, to check whether the default thresholds fit the model. */
const PROBE_POINTS_PER_SIDE = 6;

export class EverythingButton {
  readonly #button = element("everything", HTMLButtonElement);
  readonly #points = element("everything-points", HTMLInputElement);
  readonly #score = element("everything-score", HTMLInputElement);
  readonly #stability = element("everything-stability", HTMLInputElement);
  readonly #bar = element("everything-progress", HTMLProgressElement);
  readonly #message = element("everything-said", HTMLElement);
  readonly #show: (found: EverythingResult) => Promise<void>;
  #find: FindEverything = async () => null;
  #stop: AbortController | null = null;
  /** Whether the visitor set the thresholds, or they are known to fit the model. */
  #isFitted = false;
  /** The note that the thresholds were lowered. */
  #note = "";

  constructor(show: (found: EverythingResult) => Promise<void>) {
    this.#show = show;
    for (const field of [this.#score, this.#stability])
      field.addEventListener("input", () => {
        this.#isFitted = true;
        this.#note = "";
      });
    this.#button.addEventListener("click", () => {
      if (this.#stop === null) void this.#run();
      else this.stop();
    });
  }

  onFind(find: FindEverything): void {
    this.#find = find;
  }

  enable(): void {
    this.#button.disabled = false;
  }

  /** Disables the button while there is no model. */
  disable(): void {
    this.stop();
    this.#button.disabled = true;
  }

  /** Aborts the current search without waiting for its end. */
  stop(): void {
    if (this.#stop === null) return;
    this.#stop.abort();
    this.#message.textContent = this.#note;
    this.#end();
  }

  #end(): void {
    this.#stop = null;
    this.#showRunning(false);
  }

  async #run(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#showRunning(true);
    this.#message.textContent = this.#note;
    try {
      const found = await this.#findAll(stop.signal);
      if (found === null || stop.signal.aborted) return;
      const [warning] = found.warnings;
      if (warning) this.#message.textContent = warning.message;
      await this.#show(found);
    } catch (error) {
      if (stop.signal.aborted || isAbort(error)) return;
      this.#message.textContent = errorText(error);
    } finally {
      if (this.#stop === stop) this.#end();
    }
  }

  async #findAll(signal: AbortSignal): Promise<EverythingResult | null> {
    const points = this.#points.valueAsNumber;
    const first = this.#isFitted ? 0 : Math.min(PROBE_POINTS_PER_SIDE, points);
    const total = first ** 2 + points ** 2;
    if (first > 0) await this.#fit(first, signal, total);
    if (signal.aborted) return null;
    const { score, stability } = this.#thresholds();
    const grid = { pointsPerSide: points, scoreThreshold: score, stabilityThreshold: stability };
    return this.#ask(grid, signal, (done) => (first ** 2 + done) / total);
  }

  /** Runs a few points, and lowers the thresholds if no mask passes them. */
  async #fit(points: number, signal: AbortSignal, total: number): Promise<void> {
    const grid = { pointsPerSide: points, scoreThreshold: 0, stabilityThreshold: 0 };
    const found = await this.#ask(grid, signal, (done) => done / total);
    if (found === null || signal.aborted || this.#isFitted) return;
    this.#isFitted = true;
    const usual = this.#thresholds();
    const fitting = lowerThresholds(found.masks, usual);
    if (fitting === null) return;
    this.#score.value = String(fitting.score);
    this.#stability.value = String(fitting.stability);
    this.#note =
      `The usual thresholds, score ${usual.score} and stability ${usual.stability}, are too high for this model: ` +
      "they were lowered to what a tenth of its masks reach.";
    this.#message.textContent = this.#note;
  }

  /** Runs the grid and shows its progress, unless it was stopped. */
  #ask(
    grid: EverythingOptions,
    signal: AbortSignal,
    share: (done: number) => number,
  ): Promise<EverythingResult | null> {
    const onProgress: EverythingOptions["onProgress"] = ({ done }) => {
      if (!signal.aborted) this.#bar.value = share(done);
    };
    return this.#find({ ...grid, signal, onProgress }, (on) => {
      if (!signal.aborted) this.#showLooking(on);
    });
  }

  #thresholds(): GridThresholds {
    return { score: this.#score.valueAsNumber, stability: this.#stability.valueAsNumber };
  }

  /** Shows an indeterminate bar while the first stage runs. */
  #showLooking(on: boolean): void {
    this.#message.textContent = on ? "Encoding the picture" : this.#note;
    if (on) this.#bar.removeAttribute("value");
    else this.#bar.value = 0;
  }

  #showRunning(runs: boolean): void {
    this.#button.textContent = runs ? "Stop" : "Find everything";
    this.#bar.hidden = !runs;
    this.#bar.value = 0;
  }
}
