// Pointer input for prompts on the stage: clicks and boxes with mouse or touch, clicks with the keyboard's crosshair.

import type { Box, Point } from "../../src/index.js";
import { drawPromptBox, strokeTwice } from "../drawing/draw-prompt.js";
import { type Fit, type Size, toStage } from "../drawing/fit.js";
import type { Stage, StagePoint } from "../drawing/stage.js";
import { arrows } from "./arrow-keys.js";

interface PromptActions {
  /** With `isBackground`, the click is on the background (label 0). */
  click(point: Point, isBackground: boolean): void;
  drag(box: Box): void;
  undo(): void;
  endObject(): void;
  /** Called when the visitor wants to name the chosen object. */
  name(): void;
  /** Called with the mouse position on the picture, null outside. */
  hover(point: Point | null): void;
}

/** CSS pixels after which a movement is a drag of a box. */
const dragFrom = 6;
/** Milliseconds of a long press, which is a background click. */
const longPress = 500;
/** The crosshair's step per arrow key, relative to the picture's shorter side; with Shift it is one pixel. */
const keyStep = 0.02;
const arm = 14;

interface Press {
  start: StagePoint;
  end: StagePoint;
  timer: number;
}

export class PromptPointer {
  readonly #stage: Stage;
  readonly #root: HTMLElement;
  readonly #actions: PromptActions;
  #size: Size = { width: 1, height: 1 };
  #press: Press | null = null;
  #cursor: Point | null = null;

  constructor(stage: Stage, root: HTMLElement, actions: PromptActions) {
    this.#stage = stage;
    this.#root = root;
    this.#actions = actions;
    root.classList.add("paintable");
    root.tabIndex = 0;
    root.addEventListener("pointerdown", (event) => this.#begin(event));
    root.addEventListener("pointermove", (event) => this.#go(event));
    root.addEventListener("pointerup", (event) => this.#end(event));
    root.addEventListener("pointercancel", () => this.#drop());
    root.addEventListener("pointerleave", () => actions.hover(null));
    root.addEventListener("contextmenu", (event) => this.#press && event.preventDefault());
    root.addEventListener("keydown", (event) => this.#key(event));
    root.addEventListener("blur", () => this.#point(null));
  }

  setSize(size: Size): void {
    this.#size = size;
    this.#drop();
    this.#cursor = null;
  }

  /** Draws the box that is being dragged, and the crosshair. */
  draw(context: CanvasRenderingContext2D, fit: Fit): void {
    const box = this.#box();
    if (box !== null) drawPromptBox(context, fit, box);
    if (this.#cursor === null) return;
    const [x, y] = toStage(fit, this.#cursor.x, this.#cursor.y);
    context.beginPath();
    context.moveTo(x - arm, y);
    context.lineTo(x + arm, y);
    context.moveTo(x, y - arm);
    context.lineTo(x, y + arm);
    strokeTwice(context);
  }

  #begin(event: PointerEvent): void {
    const control = event.target instanceof Element && event.target.closest("input, button, a, label");
    const at = control ? null : this.#stage.pointOf(event);
    // A second finger is not a click.
    const isSecond = this.#press !== null;
    this.#drop();
    if (isSecond || at === null || event.button !== 0) return;
    this.#root.setPointerCapture(event.pointerId);
    this.#point(null);
    this.#actions.hover(null);
    const holds = event.pointerType === "touch" && this.#isInside(at);
    const timer = holds ? window.setTimeout(() => this.#longPress(at), longPress) : 0;
    this.#press = { start: at, end: at, timer };
  }

  #go(event: PointerEvent): void {
    const at = this.#stage.pointOf(event);
    if (at === null) return;
    if (this.#press === null) {
      if (event.pointerType === "mouse") this.#actions.hover(this.#isInside(at) ? at : null);
      return;
    }
    this.#press.end = at;
    if (this.#box() !== null) clearTimeout(this.#press.timer);
    this.#stage.redraw();
  }

  #end(event: PointerEvent): void {
    const press = this.#press;
    const box = this.#box();
    this.#drop();
    if (press === null) return;
    if (box === null) {
      if (this.#isInside(press.start)) this.#actions.click(placeIn(press.start), event.shiftKey);
    } else if (box.x1 < box.x2 && box.y1 < box.y2) this.#actions.drag(box);
  }

  /** Handles a long press. */
  #longPress(at: StagePoint): void {
    this.#drop();
    this.#actions.click(placeIn(at), true);
  }

  #drop(): void {
    clearTimeout(this.#press?.timer);
    this.#press = null;
    this.#stage.redraw();
  }

  /** Returns the dragged box, clipped to the picture, since it may begin outside; null for a click. */
  #box(): Box | null {
    if (this.#press === null) return null;
    const { start, end } = this.#press;
    if (Math.hypot(end.left - start.left, end.top - start.top) < dragFrom) return null;
    const [from, to] = [this.#clampToPicture(start), this.#clampToPicture(end)];
    return {
      x1: Math.min(from.x, to.x),
      y1: Math.min(from.y, to.y),
      x2: Math.max(from.x, to.x),
      y2: Math.max(from.y, to.y),
    };
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#root || event.ctrlKey || event.metaKey || event.altKey) return;
    const { width, height } = this.#size;
    const way = arrows[event.key];
    const at = this.#cursor ?? { x: width / 2, y: height / 2 };
    if (way) {
      const far = event.shiftKey ? 1 : Math.max(1, keyStep * Math.min(width, height));
      this.#point(this.#clampToPicture({ x: at.x + way[0] * far, y: at.y + way[1] * far }));
    } else if (event.key === "Enter") {
      this.#point(at);
      this.#actions.click(at, event.shiftKey);
    } else if (event.key === "Backspace") this.#actions.undo();
    else if (event.key === "Escape") this.#actions.endObject();
    else if (event.key === "n") this.#actions.name();
    else return;
    event.preventDefault();
  }

  #point(cursor: Point | null): void {
    this.#cursor = cursor;
    this.#stage.redraw();
  }

  #clampToPicture({ x, y }: Point): Point {
    const { width, height } = this.#size;
    return { x: Math.min(Math.max(x, 0), width), y: Math.min(Math.max(y, 0), height) };
  }

  #isInside({ x, y }: Point): boolean {
    return x >= 0 && y >= 0 && x <= this.#size.width && y <= this.#size.height;
  }
}

function placeIn({ x, y }: StagePoint): Point {
  return { x, y };
}
