// The visitor's prompt on the stage of <web-model>: clicks or a box for one object.

import type { RunOptions } from "../../src/index.js";
import { drawPrompt } from "../drawing/draw-prompt.js";
import type { Size } from "../drawing/fit.js";
import type { Stage } from "../drawing/stage.js";
import { PromptPointer } from "../input/prompt-pointer.js";
import { PromptedObjects, promptOf } from "../input/prompted-objects.js";

export class StagePrompt {
  readonly #objects = new PromptedObjects();
  readonly #pointer: PromptPointer;
  #size: Size = { width: 1, height: 1 };

  /** `onChange` is called for every click and box. */
  constructor(stage: Stage, root: HTMLElement, onChange: () => void) {
    const edit = (change: () => void) => () => {
      change();
      stage.redraw();
      onChange();
    };
    this.#pointer = new PromptPointer(stage, root, {
      click: ({ x, y }, isBackground) => edit(() => this.#click({ x, y }, isBackground))(),
      drag: (box) =>
        edit(() => {
          this.#objects.choose(null);
          this.#objects.drag(box);
        })(),
      undo: edit(() => this.#objects.undo()),
      endObject: edit(() => this.#objects.choose(null)),
      name: () => {},
      hover: () => {},
    });
    stage.decorate((context, fit) => {
      if (this.#objects.chosen !== null) drawPrompt(context, fit, this.#objects.chosen);
      this.#pointer.draw(context, fit);
    });
  }

  /** The prompt of a run; null if there is none. */
  options(): RunOptions | null {
    return this.#objects.chosen && promptOf(this.#objects.chosen);
  }

  /** Sets the picture's size. Another size clears the prompt. */
  setSize(size: Size): void {
    if (size.width === this.#size.width && size.height === this.#size.height) return;
    this.#size = size;
    this.clear();
    this.#pointer.setSize(size);
  }

  clear(): void {
    this.#objects.clear();
  }

  /** Adds a click: a new object, or with `isBackground` a background point of the current object. */
  #click(point: { x: number; y: number }, isBackground: boolean): void {
    const leavesOut = isBackground && this.#objects.chosen !== null;
    if (!leavesOut) this.#objects.choose(null);
    this.#objects.click({ ...point, label: leavesOut ? 0 : 1 });
  }
}
