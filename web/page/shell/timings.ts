// The timings of a run: a number for each part, and their shares as a bar.

import { element } from "../util/elements.js";
import { milliseconds } from "../util/format.js";

export interface Timings {
  preprocess: number;
  inference: number;
  postprocess: number;
  total: number;
}

const parts = ["preprocess", "inference", "postprocess"] as const;

export function clearTimings(): void {
  for (const part of [...parts, "total"]) element(`timing-${part}`, HTMLElement).textContent = "–";
  element("timing-bar", HTMLElement).classList.remove("filled");
}

export function showTimings(timings: Timings): void {
  const bar = element("timing-bar", HTMLElement);
  for (const part of parts) {
    element(`timing-${part}`, HTMLElement).textContent = milliseconds(timings[part]);
    const span = bar.querySelector<HTMLElement>(`.${part}`);
    if (span) span.style.flexGrow = String(timings[part]);
  }
  bar.classList.add("filled");
  element("timing-total", HTMLElement).textContent = milliseconds(timings.total);
}
