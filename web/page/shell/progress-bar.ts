// The progress of loading the model: one bar of four parts, and the bytes of the current part.

import type { Progress } from "../../src/index.js";
import { element, elements } from "../util/elements.js";
import { megabytes } from "../util/format.js";
import { LoadSteps, type Step } from "./load-steps.js";
import { setStatus } from "./status.js";

/** The text of each step. In a model of several stages, all but the first have a stage name. */
const sentences: Record<Step, (name: string | undefined) => string> = {
  engine: () => "Loading the engine",
  weights: (name) => (name ? `Loading the weights of ${name}` : "Loading the weights"),
  session: (name) => `Preparing ${name ?? "the model"}`,
  warmup: (name) => (name ? `Warming up ${name}` : "Warming up"),
};
/** The width of each part of the bar, in percent. */
const shares: Record<Step, number> = { engine: 35, weights: 35, session: 20, warmup: 10 };

export class ProgressBar {
  readonly #card = element("progress-card", HTMLElement);
  readonly #bar = element("progress", HTMLElement);
  readonly #stage = element("progress-stage", HTMLElement);
  readonly #bytes = element("progress-bytes", HTMLElement);
  readonly #parts = elements("#progress [data-stage]", HTMLElement);
  #steps = new LoadSteps();

  start(): void {
    this.#steps = new LoadSteps();
    this.#card.hidden = false;
    this.#stage.textContent = "Starting";
    this.#bytes.textContent = "";
    this.#paint("");
    setStatus("loading", "Starting");
  }

  show(progress: Progress): void {
    const { stage, loaded, total, modelStage } = this.#steps.update(progress);
    const inBytes = (stage === "engine" || stage === "weights") && total > 0;
    const sentence = sentences[stage](modelStage);
    this.#stage.textContent = sentence;
    this.#bytes.textContent = inBytes ? `${megabytes(loaded)} of ${megabytes(total)} MB` : "";
    this.#paint(stage);
    setStatus("loading", sentence);
  }

  stop(): void {
    this.#card.hidden = true;
  }

  #paint(current: string): void {
    let percent = 0;
    for (const part of this.#parts) {
      const step = part.dataset.stage as Step;
      const done = this.#steps.share(step);
      percent += shares[step] * done;
      part.style.setProperty("--done", `${done * 100}%`);
      part.classList.toggle("waiting", step === current && done === 0);
    }
    this.#bar.setAttribute("aria-valuenow", percent.toFixed(0));
  }
}
