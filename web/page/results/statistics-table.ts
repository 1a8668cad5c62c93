// The table of what the outputs hold.

import type { Tensors } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { short } from "../util/format.js";
import { type Statistics, statistics } from "./statistics.js";

/** Shows a row for each output; with what was recorded, the largest difference from it too. */
export async function showStatistics(outputs: Tensors, recorded: Tensors | null): Promise<void> {
  const rows: HTMLElement[] = [];
  for (const [name, tensor] of Object.entries(outputs))
    rows.push(row(name, await statistics(tensor, recorded?.[name]), recorded !== null));
  element("statistics-rows", HTMLElement).replaceChildren(...rows);
  element("statistics", HTMLElement).hidden = false;
}

function row(
  name: string,
  { minimum, maximum, mean, difference, first }: Statistics,
  compared: boolean,
): HTMLElement {
  const made = make("tr");
  const head = make("th");
  head.scope = "row";
  head.append(make("code", "", name));
  const apart = difference === null ? "–" : short(difference);
  const numbers = [
    short(minimum),
    short(maximum),
    short(mean),
    ...(compared ? [apart] : []),
    first.map(short).join(", "),
  ];
  made.append(head, ...numbers.map((text) => make("td", "number", text)));
  return made;
}
