// The list of results. Rows are reused, so that camera frames do not remove the focus.

import { element, make } from "../util/elements.js";

/** The most rows of a list: the layout of 1,000 rows takes a tenth of a second. */
const MOST_ROWS = 300;

/** The content of a row. `share` is the length of its bar, 0 to 1. */
export interface ResultRow {
  label: string;
  color: string | null;
  detail: string;
  share: number;
  value: string;
}

interface Row {
  item: HTMLLIElement;
  button: HTMLButtonElement;
  show(line: ResultRow): void;
}

export class ResultList {
  readonly #list = element("rows", HTMLElement);
  readonly #rows: Row[] = [];
  readonly #rest = make("li", "rest");
  readonly #onPoint: (index: number | null) => void;
  #pinned: number | null = null;

  constructor(onPoint: (index: number | null) => void) {
    this.#onPoint = onPoint;
    this.#list.addEventListener("pointerleave", () => onPoint(this.#pinned));
  }

  /** The detection that was clicked and stays highlighted. */
  get pinned(): number | null {
    return this.#pinned;
  }

  show(lines: readonly ResultRow[], noun: string): void {
    element("result-count", HTMLElement).textContent = String(lines.length);
    element("result-noun", HTMLElement).textContent = noun;
    const shown = Math.min(lines.length, MOST_ROWS);
    for (let index = this.#rows.length; index < shown; index += 1) this.#rows.push(this.#makeRow(index));
    for (const [index, row] of this.#rows.entries()) {
      const line = lines[index];
      if (line) row.show(line);
    }
    this.#removeFrom(shown);
    this.#showRest(lines.length - shown);
  }

  showNone(reason: string): void {
    this.#removeFrom(0);
    this.#showRest(0);
    element("result-count", HTMLElement).textContent = "";
    element("result-noun", HTMLElement).textContent = reason;
  }

  /** The item of the row that was clicked and stays highlighted. */
  get pinnedItem(): HTMLElement | null {
    return this.#pinned === null ? null : (this.#rows[this.#pinned]?.item ?? null);
  }

  highlight(index: number | null): void {
    for (const [at, row] of this.#rows.entries()) row.item.classList.toggle("lit", at === index);
  }

  pin(index: number | null): void {
    this.#pinned = index;
    for (const [at, row] of this.#rows.entries())
      row.button.setAttribute("aria-pressed", String(at === index));
  }

  /** Removes the pin and the highlight: the rows of another picture are other objects. */
  unpin(): void {
    this.pin(null);
    this.highlight(null);
  }

  #showRest(count: number): void {
    this.#rest.textContent = `and ${count} more, in the picture and in the copied result`;
    if (count > 0) this.#list.append(this.#rest);
    else this.#rest.remove();
  }

  #removeFrom(count: number): void {
    const removed = this.#rows.splice(count);
    // If the focused row is removed, focus the last remaining row.
    if (removed.some(({ button }) => button === document.activeElement)) this.#rows.at(-1)?.button.focus();
    for (const row of removed) row.item.remove();
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
  const show = (line: ResultRow) => {
    label.textContent = line.label;
    label.classList.toggle("colored", line.color !== null);
    label.style.setProperty("--class", line.color);
    detail.textContent = line.detail;
    meter.style.setProperty("--share", String(line.share));
    score.textContent = line.value;
  };
  return { item, button, show };
}
