// The list of what was found. Rows are reused, so that a camera does not take the focus away.

import type { Pose } from "../src/index.js";
import { element, make } from "./elements.js";
import { noun } from "./format.js";
import type { Found } from "./found.js";
import { classColor, visibility } from "./ink.js";

interface Row {
  item: HTMLLIElement;
  button: HTMLButtonElement;
  show(found: Found, color: string | null): void;
}

export class Results {
  readonly #list = element("rows", HTMLElement);
  readonly #rows: Row[] = [];
  readonly #onPoint: (index: number | null) => void;
  #pinned: number | null = null;

  constructor(onPoint: (index: number | null) => void) {
    this.#onPoint = onPoint;
    this.#list.addEventListener("pointerleave", () => onPoint(this.#pinned));
  }

  /** The detection that was clicked and stays lit. */
  get pinned(): number | null {
    return this.#pinned;
  }

  show(found: readonly Found[], classes: readonly string[]): void {
    element("result-count", HTMLElement).textContent = String(found.length);
    element("result-noun", HTMLElement).textContent = noun(classes, found.length);
    for (let index = this.#rows.length; index < found.length; index += 1)
      this.#rows.push(this.#makeRow(index));
    for (const [index, row] of this.#rows.entries()) {
      const one = found[index];
      if (one) row.show(one, classColor(classes, one.classIndex));
    }
    for (const row of this.#rows.splice(found.length)) row.item.remove();
    if (this.#pinned !== null && this.#pinned >= found.length) this.pin(null);
  }

  showNone(why: string): void {
    this.show([], []);
    element("result-count", HTMLElement).textContent = "";
    element("result-noun", HTMLElement).textContent = why;
  }

  light(index: number | null): void {
    for (const [at, row] of this.#rows.entries()) row.item.classList.toggle("lit", at === index);
  }

  pin(index: number | null): void {
    this.#pinned = index;
    for (const [at, row] of this.#rows.entries())
      row.button.setAttribute("aria-pressed", String(at === index));
  }

  #makeRow(index: number): Row {
    const row = makeRow(index);
    this.#list.append(row.item);
    row.button.addEventListener("pointerenter", () => this.#onPoint(index));
    row.button.addEventListener("focus", () => this.#onPoint(index));
    row.button.addEventListener("blur", () => this.#onPoint(this.#pinned));
    row.button.addEventListener("click", () => {
      this.pin(this.#pinned === index ? null : index);
      this.#onPoint(this.#pinned);
    });
    return row;
  }
}

function makeRow(index: number): Row {
  const item = make("li");
  const button = make("button", "row");
  button.type = "button";
  button.setAttribute("aria-pressed", "false");
  const label = make("span", "row-label");
  const detail = make("span", "row-detail");
  const meter = make("span", "meter");
  const score = make("span", "number row-score");
  button.append(make("span", "row-index number", String(index + 1)), label, detail, meter, score);
  item.append(button);
  const show = (found: Found, color: string | null) => {
    label.textContent = found.label;
    label.classList.toggle("colored", color !== null);
    label.style.setProperty("--class", color);
    detail.textContent = "keypoints" in found ? keypointsSeen(found) : "";
    meter.style.setProperty("--share", String(found.score));
    score.textContent = found.score.toFixed(2);
  };
  return { item, button, show };
}

function keypointsSeen({ keypoints }: Pose): string {
  const seen = keypoints.filter(({ confidence }) => visibility(confidence) >= 0.5).length;
  return `${seen} of ${keypoints.length} keypoints`;
}
