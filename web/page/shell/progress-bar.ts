// How far the model has loaded: one bar of four parts, and the bytes of the part under way.

import type { Progress } from "../../src/index.js";
import { element, elements } from "../util/elements.js";
import { megabytes } from "../util/format.js";
import { setStatus } from "./status.js";

const sentences: Record<Progress["stage"], string> = {
  engine: "Loading the engine",
  weights: "Loading the weights",
  session: "Preparing the model",
  warmup: "Warming up",
};
const order = Object.keys(sentences) as Progress["stage"][];
/** What each part of the bar stands for, in percent. */
const shares: Record<Progress["stage"], number> = { engine: 35, weights: 35, session: 20, warmup: 10 };

export class ProgressBar {
  readonly #card = element("progress-card", HTMLElement);
  readonly #bar = element("progress", HTMLElement);
  readonly #stage = element("progress-stage", HTMLElement);
  readonly #bytes = element("progress-bytes", HTMLElement);
  readonly #parts = elements("#progress [data-stage]", HTMLElement);
  readonly #done = new Map<string, number>();

  start(): void {
    this.#done.clear();
    this.#card.hidden = false;
    this.#stage.textContent = "Starting";
    this.#bytes.textContent = "";
    this.#paint("");
    setStatus("loading", "Starting");
  }

  show({ stage, loaded, total }: Progress): void {
    // A stage that reports means that those before it are over, whether they said so or not.
    for (const before of order.slice(0, order.indexOf(stage))) this.#done.set(before, 1);
    this.#done.set(stage, total > 0 ? Math.min(1, loaded / total) : 0);
    const inBytes = (stage === "engine" || stage === "weights") && total > 0;
    this.#stage.textContent = sentences[stage];
    this.#bytes.textContent = inBytes ? `${megabytes(loaded)} of ${megabytes(total)} MB` : "";
    this.#paint(stage);
    setStatus("loading", sentences[stage]);
  }

  stop(): void {
    this.#card.hidden = true;
  }

  #paint(current: string): void {
    let percent = 0;
    for (const part of this.#parts) {
      const stage = part.dataset.stage as Progress["stage"];
      const done = this.#done.get(stage) ?? 0;
      percent += shares[stage] * done;
      part.style.setProperty("--done", `${done * 100}%`);
      part.classList.toggle("waiting", stage === current && done === 0);
    }
    this.#bar.setAttribute("aria-valuenow", percent.toFixed(0));
  }
}
