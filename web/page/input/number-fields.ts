// Fields for the numbers that go with a picture. An empty one is left to the runtime's default.

import { elements } from "../util/elements.js";
import { linked } from "./page-link.js";

export class NumberFields {
  readonly #fields = elements("input[data-number]", HTMLInputElement);

  constructor(onChange: () => void) {
    for (const field of this.#fields) {
      field.value = linked(`number.${field.dataset.number}`) ?? field.value;
      field.addEventListener("input", onChange);
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
