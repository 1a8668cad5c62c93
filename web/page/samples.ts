// The strip of sample pictures.

import { elements } from "./elements.js";

export interface Sample {
  file: string;
  title: string;
}

export class Samples {
  readonly #buttons = elements("#samples button", HTMLButtonElement);

  constructor(onChoose: (sample: Sample) => void) {
    for (const button of this.#buttons) button.addEventListener("click", () => onChoose(sampleOf(button)));
  }

  first(): Sample | null {
    const button = this.#buttons[0];
    return button ? sampleOf(button) : null;
  }

  /** Marks the sample that is on the stage; null for any other picture. */
  mark(file: string | null): void {
    for (const button of this.#buttons)
      button.setAttribute("aria-pressed", String(button.dataset.file === file));
  }
}

function sampleOf(button: HTMLButtonElement): Sample {
  return { file: button.dataset.file ?? "", title: button.dataset.title ?? "The sample" };
}
