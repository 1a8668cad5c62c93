// The before-and-after handle on the stage: left of it is the source picture, right of it the result.

import { make } from "../util/elements.js";
import type { Stage } from "./stage.js";

const steps = 100;
/** Width of the handle in CSS pixels, as in stage.css. A slider's handle stays inside the slider. */
const handle = 44;

/** A slider over the stage, for touch, mouse and arrow keys. */
export class BeforeAfter {
  readonly #stage: Stage;
  readonly #input: HTMLInputElement;

  constructor(stage: Stage, root: HTMLElement) {
    this.#stage = stage;
    this.#input = Object.assign(make("input", "split"), {
      type: "range",
      max: String(steps),
      value: String(steps / 2),
      autocomplete: "off",
      ariaLabel: "Before and after: left of the handle is the picture as it was",
      hidden: true,
    });
    this.#input.dataset.testid = "split";
    this.#input.addEventListener("input", () => this.#move());
    new ResizeObserver(() => this.#move()).observe(root);
    root.append(this.#input);
  }

  /** Shows the handle if there is something to compare. */
  show(shown: boolean): void {
    if (this.#input.hidden === !shown) return;
    this.#input.hidden = !shown;
    this.#move();
  }

  /** The width of the "before" part, in CSS pixels from the left of the stage. */
  get splitX(): number {
    if (this.#input.hidden) return 0;
    const [share, width] = [Number(this.#input.value) / steps, this.#input.clientWidth];
    if (share === 0 || share === 1) return share * width;
    return handle / 2 + share * (width - handle);
  }

  #move(): void {
    this.#stage.splitMap(this.splitX);
  }
}
