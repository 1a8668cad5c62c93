// The button that finds everything in a picture: how far it is, how to stop it, and how good a mask has to be.

import type { EverythingOptions, EverythingResult } from "../../src/index.js";
import { isAbort } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { type GridThresholds, lowered } from "./grid-thresholds.js";

/** Returns what was found, null where the picture is another one by now. */
export type FindEverything = (options: EverythingOptions) => Promise<EverythingResult | null>;

/** Points a side of the grid that shows how sure the model is. */
const few = 6;

export class EverythingButton {
  readonly #button = element("everything", HTMLButtonElement);
  readonly #points = element("everything-points", HTMLInputElement);
  readonly #score = element("everything-score", HTMLInputElement);
  readonly #stability = element("everything-stability", HTMLInputElement);
  readonly #bar = element("everything-progress", HTMLProgressElement);
  readonly #said = element("everything-said", HTMLElement);
  readonly #show: (found: EverythingResult) => Promise<void>;
  #find: FindEverything = async () => null;
  #stop: AbortController | null = null;
  /** Whether the thresholds are those of a visitor, or known to fit the model. */
  #isFitted = false;
  /** Says that they were lowered. */
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

  stop(): void {
    this.#stop?.abort();
  }

  async #run(): Promise<void> {
    const stop = new AbortController();
    this.#stop = stop;
    this.#showRunning(true);
    this.#said.textContent = this.#note;
    try {
      const points = this.#points.valueAsNumber;
      const first = this.#isFitted ? 0 : Math.min(few, points);
      const total = first ** 2 + points ** 2;
      if (first > 0) await this.#fit(first, stop.signal, total);
      const { score, stability } = this.#thresholds();
      const found = await this.#find({
        pointsPerSide: points,
        scoreThreshold: score,
        stabilityThreshold: stability,
        signal: stop.signal,
        onProgress: ({ done }) => this.#showDone(first ** 2 + done, total),
      });
      if (found === null) return;
      const [warning] = found.warnings;
      if (warning) this.#said.textContent = warning.message;
      await this.#show(found);
    } catch (error) {
      if (!isAbort(error)) this.#said.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#stop = null;
      this.#showRunning(false);
    }
  }

  /** Asks about a few points, and lowers thresholds that nothing there reaches. */
  async #fit(points: number, signal: AbortSignal, total: number): Promise<void> {
    const found = await this.#find({
      pointsPerSide: points,
      scoreThreshold: 0,
      stabilityThreshold: 0,
      signal,
      onProgress: ({ done }) => this.#showDone(done, total),
    });
    if (found === null || this.#isFitted) return;
    this.#isFitted = true;
    const usual = this.#thresholds();
    const fitting = lowered(found.masks, usual);
    if (fitting === null) return;
    this.#score.value = String(fitting.score);
    this.#stability.value = String(fitting.stability);
    this.#note =
      `The usual thresholds, score ${usual.score} and stability ${usual.stability}, are too high for this model: ` +
      "they were lowered to what a tenth of its masks reach.";
    this.#said.textContent = this.#note;
  }

  #thresholds(): GridThresholds {
    return { score: this.#score.valueAsNumber, stability: this.#stability.valueAsNumber };
  }

  #showDone(done: number, total: number): void {
    this.#bar.value = done / total;
  }

  #showRunning(runs: boolean): void {
    this.#button.textContent = runs ? "Stop" : "Find everything";
    this.#bar.hidden = !runs;
    this.#bar.value = 0;
  }
}
