// The best classes of a picture as bars, and the best one in large type.

import { element } from "../util/elements.js";
import { percent } from "../util/format.js";
import { classBar } from "./class-bar.js";

const SHOWN = 5;

interface ScoredClass {
  label: string;
  score: number;
}

/** Returns the classes to show, the best first. */
export function bestClasses<C extends ScoredClass>(classes: readonly C[]): readonly C[] {
  return classes.slice(0, SHOWN);
}

export class BestClasses {
  readonly #best: HTMLElement;
  readonly #list: HTMLElement;
  #shown: readonly ScoredClass[] = [];

  /** Takes the ids of the elements for the best class and for the list. */
  constructor(best: string, list: string) {
    this.#best = element(best, HTMLElement);
    this.#list = element(list, HTMLElement);
  }

  show(classes: readonly ScoredClass[]): void {
    this.#shown = bestClasses(classes);
    this.#best.textContent = classes[0]?.label ?? "";
    this.#list.replaceChildren(
      ...this.#shown.map(({ label, score }) => classBar(label, percent(score), score)),
    );
  }

  showNone(reason: string): void {
    this.#shown = [];
    this.#best.textContent = reason;
    this.#list.replaceChildren();
  }

  /** The rows of a saved picture's legend. */
  rows(): { label: string; value: string }[] {
    return this.#shown.map(({ label, score }) => ({ label, value: percent(score) }));
  }
}
