// The button that finds everything in a picture: how far it is, how to stop it, and how good a mask has to be.

import type { EverythingOptions, EverythingResult } from "../../src/index.js";
import { isAbort } from "../shell/failure-card.js";
import { element } from "../util/elements.js";

/** Returns what was found, null where the picture is another one by now. */
export type FindEverything = (options: EverythingOptions) => Promise<EverythingResult | null>;

export class EverythingButton {
  readonly #button = element("everything", HTMLButtonElement);
  readonly #score = element("everything-score", HTMLInputElement);
  readonly #stability = element("everything-stability", HTMLInputElement);
  readonly #bar = element("everything-progress", HTMLProgressElement);
  readonly #said = element("everything-said", HTMLElement);
  readonly #show: (found: EverythingResult) => Promise<void>;
  #find: FindEverything = async () => null;
  #stop: AbortController | null = null;

  constructor(show: (found: EverythingResult) => Promise<void>) {
    this.#show = show;
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
    this.#said.textContent = "";
    try {
      const found = await this.#find({
        scoreThreshold: this.#score.valueAsNumber,
        stabilityThreshold: this.#stability.valueAsNumber,
        signal: stop.signal,
        onProgress: ({ done, total }) => {
          this.#bar.value = done / total;
        },
      });
      if (found === null) return;
      this.#said.textContent = found.warnings[0]?.message ?? "";
      await this.#show(found);
    } catch (error) {
      if (!isAbort(error)) this.#said.textContent = error instanceof Error ? error.message : String(error);
    } finally {
      this.#stop = null;
      this.#showRunning(false);
    }
  }

  #showRunning(runs: boolean): void {
    this.#button.textContent = runs ? "Stop" : "Find everything";
    this.#bar.hidden = !runs;
    this.#bar.value = 0;
  }
}
