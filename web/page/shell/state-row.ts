// The row of a model with state: the number of runs since the state was zeros, and the button that resets it.

import type { Model } from "../../src/index.js";
import { element } from "../util/elements.js";

export class StateRow {
  readonly #steps = element("state-steps", HTMLOutputElement);
  readonly #button = element("state-reset", HTMLButtonElement);
  #model: Model | null = null;

  private constructor() {
    this.#button.addEventListener("click", () => void this.#model?.reset().then(() => this.show()));
  }

  /** Returns the row, null on the page of a model without state. */
  static find(): StateRow | null {
    return document.getElementById("state-reset") === null ? null : new StateRow();
  }

  setModel(model: Model | null): void {
    this.#model = model;
    this.show();
  }

  show(): void {
    const steps = this.#model?.state?.steps ?? 0;
    this.#steps.textContent = String(steps);
    this.#button.disabled = steps === 0;
  }
}
