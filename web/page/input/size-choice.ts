// The input size of a model that is packed for several: the best for each picture, or the visitor's choice.

import type { PictureSize, Result } from "../../src/index.js";
import { elements } from "../util/elements.js";
import { linkParameter } from "./page-link.js";

export class SizeChoice {
  readonly #radios = elements("input[name=size]", HTMLInputElement);
  readonly #used = document.getElementById("size-used");

  constructor(onChange: () => void) {
    const size = this.#radios.find(({ value }) => value === linkParameter("size"));
    if (size) size.checked = true;
    for (const radio of this.#radios) radio.addEventListener("change", onChange);
  }

  link(): Record<string, string> {
    const size = this.#radios.find(({ checked }) => checked)?.value;
    return size ? { size } : {};
  }

  /** The option of a run; empty if the runtime chooses. */
  option(): { size?: PictureSize } {
    const chosen = this.#radios.find(({ checked }) => checked)?.value ?? "";
    const [width, height] = chosen.split("x").map(Number);
    return width && height ? { size: [width, height] } : {};
  }

  /** Shows the size of the last run. */
  show({ size: [width, height] }: Result): void {
    if (this.#used) this.#used.textContent = `This picture was run at ${width} × ${height}.`;
  }
}
