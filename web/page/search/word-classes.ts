// Classifies the current picture with the visitor's labels, which the text encoder embeds on this device.

import type { Model } from "../../src/index.js";
import { labelScores } from "../../src/text/label-scores.js";
import { linkParameter } from "../input/page-link.js";
import { BestClasses } from "../results/best-classes.js";
import { element } from "../util/elements.js";
import { latestOnly } from "../util/latest-only.js";
import { errorText } from "./error-text.js";

export class WordClasses {
  readonly #field = element("labels", HTMLTextAreaElement);
  readonly #status = element("labels-status", HTMLElement);
  readonly #classes = new BestClasses("labels-best", "labels-rows");
  readonly #classify = latestOnly(() => this.#run());
  #model: Model | null = null;
  #picture: Float32Array | null = null;

  constructor() {
    this.#field.value = linkParameter("labels") ?? "";
    this.#field.addEventListener("change", () => void this.#classify());
    element("labels-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#classify();
    });
  }

  setModel(model: Model | null): void {
    this.#model = model;
  }

  /** Sets the embedding of the current picture; null if there is none. */
  show(picture: Float32Array | null): void {
    this.#picture = picture;
    void this.#classify();
  }

  link(): Record<string, string> {
    const labels = readLabels(this.#field.value);
    return labels.length === 0 ? {} : { labels: labels.join(", ") };
  }

  /** The rows of a saved picture's legend. */
  rows(): { label: string; value: string }[] {
    return this.#classes.rows();
  }

  async #run(): Promise<void> {
    const [labels, model, picture] = [readLabels(this.#field.value), this.#model, this.#picture];
    const task = model?.manifest.textEncoder?.task;
    const words = task && "textInput" in task ? task.textInput : undefined;
    if (labels.length === 0 || model === null || picture === null || words === undefined) {
      this.#classes.showNone("");
      return this.#say("");
    }
    try {
      if (model.info().text === undefined) this.#say("Loading the text encoder");
      const vectors = await model.embedText(labels);
      if (model !== this.#model) return;
      this.#classes.show(labelScores(labels, vectors, picture, words));
      this.#say("");
    } catch (error) {
      this.#classes.showNone("");
      this.#say(errorText(error));
    }
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}

/** Splits labels at commas and line ends, without duplicates. */
export function readLabels(text: string): string[] {
  const labels = text.split(/[,\n]/).map((label) => label.trim());
  return [...new Set(labels)].filter((label) => label !== "");
}
