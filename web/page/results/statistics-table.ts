// The table of the outputs' statistics.

import type { TensorData, Tensors } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { dimensions, short } from "../util/format.js";
import { type Statistics, statistics } from "./statistics.js";

/** Shows a row for each output, with the largest difference from the recorded tensor, if there is one. */
export async function showStatistics(outputs: Tensors, recorded: Tensors | null): Promise<void> {
  const rows: HTMLElement[] = [];
  for (const [name, tensor] of Object.entries(outputs))
    rows.push(row(name, tensor, await statistics(tensor, recorded?.[name]), recorded !== null));
  element("statistics-rows", HTMLElement).replaceChildren(...rows);
  element("statistics", HTMLElement).hidden = false;
}

function row(
  name: string,
  { type, dims }: TensorData,
  { minimum, maximum, mean, difference, first, histogram }: Statistics,
  compared: boolean,
): HTMLElement {
  const tableRow = make("tr");
  const head = make("th");
  head.scope = "row";
  head.append(make("code", "", name));
  const apart = difference === null ? "–" : short(difference);
  const numbers = [short(minimum), short(maximum), short(mean), ...(compared ? [apart] : [])];
  const bars = make("td");
  bars.append(histogramBars(histogram));
  tableRow.append(
    head,
    make("td", "", type),
    ...[dimensions(dims), ...numbers].map((text) => make("td", "number", text)),
    bars,
    make("td", "number", first.map(short).join(", ")),
  );
  return tableRow;
}

/** Returns the bars of a histogram from the least to the largest number, relative to the fullest bin. */
function histogramBars(counts: readonly number[]): HTMLElement {
  const bars = make("span", "histogram");
  const most = Math.max(...counts);
  bars.setAttribute("role", "img");
  bars.setAttribute("aria-label", counts.length > 0 ? `Counts: ${counts.join(", ")}` : "No histogram");
  for (const count of counts) {
    const bar = make("i");
    bar.style.setProperty("--share", String(count / most));
    bars.append(bar);
  }
  return bars;
}
