// The strip of sample pictures.

import { elements } from "../util/elements.js";
import { linkParameter } from "./page-link.js";

/** A sample. For a stack, `file` is the first picture, and `focus` has the distances of all, if known. */
export interface Sample {
  file: string;
  title: string;
  stack: readonly string[];
  focus: readonly number[];
  /** The text prompt; empty if the model takes none. */
  prompt: string;
}

export class Samples {
  readonly #buttons = elements("#samples button", HTMLButtonElement);

  constructor(onChoose: (sample: Sample) => void) {
    for (const button of this.#buttons) button.addEventListener("click", () => onChoose(sampleOf(button)));
  }

  /** Returns the sample in the page's link, else the first. */
  first(): Sample | null {
    const title = linkParameter("sample");
    const button = this.#buttons.find(({ dataset }) => dataset.title === title) ?? this.#buttons[0];
    return button ? sampleOf(button) : null;
  }

  /** Marks the current sample; null for any other picture. */
  mark(file: string | null): void {
    for (const button of this.#buttons)
      button.setAttribute("aria-pressed", String(button.dataset.file === file));
  }
}

function sampleOf(button: HTMLButtonElement): Sample {
  const { file = "", title = "The sample", stack = "[]", focus = "[]", prompt = "" } = button.dataset;
  return { file, title, stack: JSON.parse(stack) as string[], focus: JSON.parse(focus) as number[], prompt };
}
