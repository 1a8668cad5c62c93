// The brush for the mask of an inpainting model: painted with the pointer, or with the keys on the stage.

import { strokeTwice } from "../drawing/draw-prompt.js";
import type { Fit, Size } from "../drawing/fit.js";
import type { Stage } from "../drawing/stage.js";
import { element, elements, fillTrack } from "../util/elements.js";
import { arrows } from "./arrow-keys.js";
import { MaskStrokes, type StrokePoint } from "./mask-strokes.js";

/** The opacity of the painted mask over the source picture. */
const opacity = 0.55;
/** The brush's step per key, relative to its width. */
const step = 0.5;

export class MaskBrush {
  readonly #stage: Stage;
  readonly #onPainted: () => void;
  readonly #before: () => number;
  readonly #size = element("brush-size", HTMLInputElement);
  readonly #sizeValue = element("brush-size-value", HTMLElement);
  readonly #modes = elements("input[name=brush]", HTMLInputElement);
  readonly #undo = element("brush-undo", HTMLButtonElement);
  readonly #clear = element("brush-clear", HTMLButtonElement);
  #strokes = new MaskStrokes({ width: 1, height: 1 });
  #painting = false;
  /** The brush's position while the keys move it, null while the pointer does. */
  #cursor: StrokePoint | null = null;

  /** `onPainted` is called for every change; `before` returns the width of the "before" part of the stage. */
  constructor(stage: Stage, root: HTMLElement, onPainted: () => void, before: () => number) {
    this.#stage = stage;
    this.#onPainted = onPainted;
    this.#before = before;
    this.#size.addEventListener("input", () => this.#changed());
    this.#undo.addEventListener("click", () => this.#edit(() => this.#strokes.undo()));
    this.#clear.addEventListener("click", () => this.#edit(() => this.#strokes.clear()));
    root.classList.add("paintable");
    root.addEventListener("pointerdown", (event) => this.#begin(event, root));
    root.addEventListener("pointermove", (event) => this.#go(event));
    for (const end of ["pointerup", "pointercancel"] as const) root.addEventListener(end, () => this.#end());
    root.addEventListener("keydown", (event) => this.#key(event, root));
    root.addEventListener("blur", () => this.#point(null));
    stage.decorate((context, fit) => this.#draw(context, fit));
    this.#changed();
  }

  /** Sets the picture's size. A new picture clears the mask. */
  setSize(size: Size, isNew: boolean): void {
    const { width, height } = this.#strokes.canvas;
    if (!isNew && size.width === width && size.height === height) return;
    this.#strokes = new MaskStrokes(size);
    this.#cursor = null;
    this.#changed();
  }

  option(): { mask: Uint8Array } {
    return { mask: this.#strokes.mask() };
  }

  /** The brush's width in pixels of the picture. */
  get #width(): number {
    const { width, height } = this.#strokes.canvas;
    return Math.max(1, (Number(this.#size.value) / 100) * Math.min(width, height));
  }

  get #erases(): boolean {
    return this.#modes.find(({ checked }) => checked)?.value === "erase";
  }

  #begin(event: PointerEvent, root: HTMLElement): void {
    const place = event.target instanceof HTMLElement && event.target.closest("input, button, a, label");
    const at = place ? null : this.#stage.pointOf(event);
    if (!at || event.button !== 0) return;
    root.setPointerCapture(event.pointerId);
    this.#painting = true;
    this.#point(null);
    this.#strokes.begin({ points: [at], size: this.#width, erases: this.#erases });
    this.#stage.redraw();
  }

  #go(event: PointerEvent): void {
    const at = this.#painting && this.#stage.pointOf(event);
    if (!at) return;
    this.#strokes.extend(at);
    this.#stage.redraw();
  }

  #end(): void {
    if (!this.#painting) return;
    this.#painting = false;
    this.#edit(() => {});
  }

  #key(event: KeyboardEvent, root: HTMLElement): void {
    if (event.target !== root) return;
    const way = arrows[event.key];
    const { width, height } = this.#strokes.canvas;
    const at = this.#cursor ?? { x: width / 2, y: height / 2 };
    if (way) {
      const far = step * this.#width;
      const clamp = (place: number, most: number): number => Math.min(Math.max(place, 0), most);
      this.#point({ x: clamp(at.x + way[0] * far, width), y: clamp(at.y + way[1] * far, height) });
    } else if (event.key === " ") {
      this.#point(at);
      this.#edit(() => this.#strokes.begin({ points: [at], size: this.#width, erases: this.#erases }));
    } else return;
    event.preventDefault();
  }

  #point(cursor: StrokePoint | null): void {
    this.#cursor = cursor;
    this.#stage.redraw();
  }

  #edit(change: () => void): void {
    change();
    this.#changed();
    this.#onPainted();
  }

  #changed(): void {
    this.#sizeValue.textContent = `${this.#size.value} %`;
    fillTrack(this.#size);
    this.#undo.disabled = this.#clear.disabled = this.#strokes.isEmpty;
    this.#stage.redraw();
  }

  /** Draws the mask over the "before" part, and everywhere while a stroke is drawn. */
  #draw(context: CanvasRenderingContext2D, fit: Fit): void {
    context.save();
    const { canvas } = this.#strokes;
    if (!this.#painting) {
      context.beginPath();
      context.rect(0, 0, this.#before(), fit.top + fit.height);
      context.clip();
    }
    context.globalAlpha = opacity;
    context.translate(fit.mirrored ? fit.left + fit.width : fit.left, fit.top);
    context.scale(fit.mirrored ? -fit.scale : fit.scale, fit.scale);
    context.drawImage(canvas, 0, 0);
    context.restore();
    if (this.#cursor) this.#drawCursor(context, fit, this.#cursor);
  }

  #drawCursor(context: CanvasRenderingContext2D, fit: Fit, { x, y }: StrokePoint): void {
    const across = (fit.mirrored ? fit.width - x * fit.scale : x * fit.scale) + fit.left;
    context.beginPath();
    context.arc(across, fit.top + y * fit.scale, (this.#width * fit.scale) / 2, 0, 2 * Math.PI);
    strokeTwice(context);
  }
}
