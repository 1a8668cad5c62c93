// The list of what was found. Rows are reused, so that a camera does not take the focus away.

import type { Pose } from "../src/index.js";
import { element, make } from "./elements.js";
import { degrees, noun } from "./format.js";
import type { FindingTask, Found } from "./found.js";
import { foundColor, visibility } from "./ink.js";

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

  show(found: readonly Found[], task: FindingTask): void {
    const { classes } = task;
    element("result-count", HTMLElement).textContent = String(found.length);
    element("result-noun", HTMLElement).textContent = noun(classes, found.length);
    for (let index = this.#rows.length; index < found.length; index += 1)
      this.#rows.push(this.#makeRow(index));
    for (const [index, row] of this.#rows.entries()) {
      const one = found[index];
      if (one) row.show(one, foundColor(task, one, index));
    }
    this.#removeFrom(found.length);
  }

  showNone(why: string): void {
    this.#removeFrom(0);
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

  #removeFrom(count: number): void {
    for (const row of this.#rows.splice(count)) row.item.remove();
    if (this.#pinned !== null && this.#pinned >= count) this.pin(null);
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
    detail.textContent = detailOf(found);
    meter.style.setProperty("--share", String(found.score));
    score.textContent = found.score.toFixed(2);
  };
  return { item, button, show };
}

function detailOf(found: Found): string {
  if ("keypoints" in found) return keypointsSeen(found);
  return "angle" in found ? degrees(found.angle) : "";
}

function keypointsSeen({ keypoints }: Pose): string {
  const seen = keypoints.filter(({ confidence }) => visibility(confidence) >= 0.5).length;
  return `${seen} of ${keypoints.length} keypoints`;
}
