// Fields for number inputs in addition to a picture, each with a slider. For an empty field, the runtime's default applies.

import { elements, fillTrack } from "../util/elements.js";
import { linkParameter } from "./page-link.js";

export class NumberFields {
  readonly #fields = elements("input[data-number]", HTMLInputElement);
  readonly #sliders = elements("input[data-slider]", HTMLInputElement);

  constructor(onChange: () => void) {
    for (const field of this.#fields) {
      const slider = this.#sliders.find(({ dataset }) => dataset.slider === field.dataset.number);
      const follow = (): void => {
        if (slider && Number.isFinite(field.valueAsNumber)) slider.valueAsNumber = field.valueAsNumber;
        if (slider) fillTrack(slider);
      };
      field.value = linkParameter(`number.${field.dataset.number}`) ?? field.value;
      follow();
      field.addEventListener("input", () => {
        follow();
        onChange();
      });
      slider?.addEventListener("input", () => {
        field.value = String(Number(slider.valueAsNumber.toPrecision(3)));
        fillTrack(slider);
        onChange();
      });
    }
  }

  link(): Record<string, string> {
    const changed = this.#fields.filter(({ value, defaultValue }) => value !== defaultValue);
    return Object.fromEntries(changed.map(({ dataset, value }) => [`number.${dataset.number}`, value]));
  }

  /** The option of a run; empty if the model takes no numbers. */
  option(): { numbers?: Record<string, number> } {
    const filled = this.#fields.filter((field) => Number.isFinite(field.valueAsNumber));
    if (filled.length === 0) return {};
    return {
      numbers: Object.fromEntries(filled.map((field) => [field.dataset.number, field.valueAsNumber])),
    };
  }
}
