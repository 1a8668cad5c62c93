// The sliders of the model's options. For an untouched slider, the runtime's default applies.

import { element, elements, fillTrack } from "../util/elements.js";
import { threshold } from "../util/format.js";
import { setFromLink } from "./page-link.js";

export interface Thresholds {
  confidence?: number;
  iou?: number;
}

export class ThresholdSliders {
  readonly #sliders = elements("input[data-option]", HTMLInputElement);
  readonly #reset = document.getElementById("reset");

  constructor(onChange: () => void) {
    for (const slider of this.#sliders) {
      if (setFromLink(slider, slider.dataset.option ?? "")) slider.dataset.touched = "yes";
      paint(slider);
      slider.addEventListener("input", () => {
        slider.dataset.touched = "yes";
        this.#paintReset();
        paint(slider);
        onChange();
      });
    }
    this.#paintReset();
    this.#reset?.addEventListener("click", () => {
      this.#restore();
      onChange();
    });
  }

  values(): Thresholds {
    const touched = this.#sliders.filter((slider) => slider.dataset.touched);
    return Object.fromEntries(touched.map((slider) => [slider.dataset.option, slider.valueAsNumber]));
  }

  /** Returns the displayed value, touched or not. */
  shown(option: keyof Thresholds): number | null {
    const slider = this.#sliders.find((candidate) => candidate.dataset.option === option);
    return slider ? valueInForce(slider) : null;
  }

  #restore(): void {
    for (const slider of this.#sliders) {
      slider.value = slider.defaultValue;
      delete slider.dataset.touched;
      paint(slider);
    }
    this.#paintReset();
    this.#sliders[0]?.focus();
  }

  #paintReset(): void {
    if (this.#reset) this.#reset.hidden = !this.#sliders.some((slider) => slider.dataset.touched);
  }
}

function paint(slider: HTMLInputElement): void {
  fillTrack(slider);
  element(`${slider.id}-value`, HTMLOutputElement).textContent = threshold(valueInForce(slider));
}

/** Returns the value in force: a default between two steps of the slider applies unrounded. */
function valueInForce(slider: HTMLInputElement): number {
  return slider.dataset.touched ? slider.valueAsNumber : Number(slider.getAttribute("value"));
}
