// The buttons for prompted objects. The view defines their actions, the objects decide when they are enabled.

import { element, elements } from "../util/elements.js";
import type { AnsweredObjects } from "./answered-objects.js";

interface ObjectActions {
  undo(): void;
  /** Ends the object, so that the next click begins a new one. */
  end(): void;
  remove(): void;
  saveCutout(): void;
  saveCoco(): void;
}

export class ObjectButtons {
  readonly #modes = elements("input[name=click]", HTMLInputElement);
  readonly #undo: HTMLButtonElement;
  readonly #end: HTMLButtonElement;
  readonly #remove: HTMLButtonElement;
  readonly #cutout: HTMLButtonElement;
  readonly #coco: HTMLButtonElement;

  constructor(actions: ObjectActions) {
    this.#undo = button("undo-click", () => actions.undo());
    this.#end = button("new-object", () => actions.end());
    this.#remove = button("remove-object", () => actions.remove());
    this.#cutout = button("save-cutout", () => actions.saveCutout());
    this.#coco = button("save-coco", () => actions.saveCoco());
  }

  /** Whether a click without Shift is a background click. */
  get leavesOut(): boolean {
    return this.#modes.some(({ checked, value }) => checked && value === "leave-out");
  }

  enable(objects: AnsweredObjects): void {
    const { chosen, canUndo, masks } = objects;
    this.#undo.disabled = !canUndo;
    this.#end.disabled = this.#remove.disabled = chosen === null;
    this.#cutout.disabled = chosen === null || objects.answerOf(chosen) === null;
    this.#coco.disabled = masks.length === 0;
  }
}

function button(id: string, onClick: () => void): HTMLButtonElement {
  const found = element(id, HTMLButtonElement);
  found.addEventListener("click", onClick);
  return found;
}
