// How far the picture is enlarged, and which part of it is shown: dragged with the pointer, moved with the arrow keys.

import type { Stage, StagePoint } from "../drawing/stage.js";
import { element, fillTrack } from "../util/elements.js";
import { arrows } from "./arrow-keys.js";

/** How far an arrow key moves what is shown, as a part of it. */
const step = 0.1;

export class ZoomSlider {
  readonly #stage: Stage;
  readonly #root: HTMLElement;
  readonly #input = element("zoom", HTMLInputElement);
  readonly #value = element("zoom-value", HTMLElement);
  #size = { width: 1, height: 1 };
  #center = { x: 0.5, y: 0.5 };
  #held: StagePoint | null = null;

  /** `drags` says whether the pointer moves the picture, as it does where it paints nothing. */
  constructor(stage: Stage, root: HTMLElement, drags: () => boolean) {
    this.#stage = stage;
    this.#root = root;
    this.#input.addEventListener("input", () => this.#show());
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerdown", (event) => {
      if (event.target !== this.#input && this.#factor > 1 && drags()) this.#hold(event);
    });
    root.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      root.addEventListener(end, () => {
        this.#held = null;
      });
  }

  /** Another picture is shown from its middle. */
  setSize(size: { width: number; height: number }): void {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#center = { x: size.width / 2, y: size.height / 2 };
    this.#show();
  }

  get #factor(): number {
    return Number(this.#input.value);
  }

  #hold(event: PointerEvent): void {
    if (event.target instanceof HTMLInputElement) return;
    this.#held = this.#stage.pointOf(event);
    if (this.#held) this.#root.setPointerCapture(event.pointerId);
  }

  #drag(event: PointerEvent): void {
    const place = this.#held && this.#stage.pointOf(event);
    if (!place || !this.#held) return;
    this.#move(this.#held.x - place.x, this.#held.y - place.y);
  }

  #key(event: KeyboardEvent): void {
    const way = arrows[event.key];
    if (!way || this.#factor === 1 || event.target !== this.#root || event.defaultPrevented) return;
    event.preventDefault();
    const [across, down] = way;
    const part = step / this.#factor;
    this.#move(across * part * this.#size.width, down * part * this.#size.height);
  }

  /** What is shown ends where the picture does. */
  #move(across: number, down: number): void {
    const held = (at: number, size: number): number => {
      const half = size / 2 / this.#factor;
      return Math.min(Math.max(at, half), size - half);
    };
    this.#center = {
      x: held(this.#center.x + across, this.#size.width),
      y: held(this.#center.y + down, this.#size.height),
    };
    this.#show();
  }

  #show(): void {
    const factor = this.#factor;
    this.#value.textContent = `${factor}×`;
    fillTrack(this.#input);
    this.#root.classList.toggle("enlarged", factor > 1);
    this.#stage.zoom(factor > 1 ? { factor, center: this.#center } : null);
  }
}
