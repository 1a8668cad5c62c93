// A row with a name, a number and a bar for the number.

import { make } from "../util/elements.js";

/** `share` is the bar's length, 0 to 1. */
export function classBar(name: string, value: string, share: number): HTMLElement {
  const item = make("li", "class-bar");
  const meter = make("span", "meter");
  meter.style.setProperty("--share", String(Math.min(1, Math.max(0, share))));
  item.append(make("span", "class-name", name), make("span", "number class-score", value), meter);
  return item;
}
