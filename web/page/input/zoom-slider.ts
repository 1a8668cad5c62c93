// The zoom factor and the visible part of the picture: dragged with the pointer, moved with the arrow keys.

import type { Stage, StagePoint } from "../drawing/stage.js";
import { element, fillTrack } from "../util/elements.js";
import { arrows } from "./arrow-keys.js";

/** The step of an arrow key, relative to the visible part. */
const step = 0.1;

export class ZoomSlider {
  readonly #stage: Stage;
  readonly #root: HTMLElement;
  readonly #input = element("zoom", HTMLInputElement);
  readonly #value = element("zoom-value", HTMLElement);
  #size = { width: 1, height: 1 };
  #center = { x: 0.5, y: 0.5 };
  #dragStart: StagePoint | null = null;

  /** `drags` returns whether the pointer moves the picture, which it does unless it paints. */
  constructor(stage: Stage, root: HTMLElement, drags: () => boolean) {
    this.#stage = stage;
    this.#root = root;
    this.#input.addEventListener("input", () => this.#show());
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("pointerdown", (event) => {
      if (event.target !== this.#input && this.#factor > 1 && drags()) this.#startDrag(event);
    });
    root.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"] as const)
      root.addEventListener(end, () => {
        this.#dragStart = null;
      });
  }

  /** Sets the picture's size, and centres the view. */
  setSize(size: { width: number; height: number }): void {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.#center = { x: size.width / 2, y: size.height / 2 };
    this.#show();
  }

  get #factor(): number {
    return Number(this.#input.value);
  }

  #startDrag(event: PointerEvent): void {
    if (event.target instanceof HTMLInputElement) return;
    this.#dragStart = this.#stage.pointOf(event);
    if (this.#dragStart) this.#root.setPointerCapture(event.pointerId);
  }

  #drag(event: PointerEvent): void {
    const place = this.#dragStart && this.#stage.pointOf(event);
    if (!place || !this.#dragStart) return;
    this.#move(this.#dragStart.x - place.x, this.#dragStart.y - place.y);
  }

  #key(event: KeyboardEvent): void {
    const way = arrows[event.key];
    if (!way || this.#factor === 1 || event.target !== this.#root || event.defaultPrevented) return;
    event.preventDefault();
    const [across, down] = way;
    const part = step / this.#factor;
    this.#move(across * part * this.#size.width, down * part * this.#size.height);
  }

  /** Moves the visible part, within the picture. */
  #move(across: number, down: number): void {
    const clamp = (at: number, size: number): number => {
      const half = size / 2 / this.#factor;
      return Math.min(Math.max(at, half), size - half);
    };
    this.#center = {
      x: clamp(this.#center.x + across, this.#size.width),
      y: clamp(this.#center.y + down, this.#size.height),
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
