// Fields for the numbers that go with a picture, each with a slider. An empty one is left to the runtime's default.

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

  /** The option of a run; nothing where the model takes no numbers. */
  option(): { numbers?: Record<string, number> } {
    const given = this.#fields.filter((field) => Number.isFinite(field.valueAsNumber));
    if (given.length === 0) return {};
    return { numbers: Object.fromEntries(given.map((field) => [field.dataset.number, field.valueAsNumber])) };
  }
}
