// The code snippet that uses the bundle, with the changed thresholds and a button to copy it.

import type { SliceOptions } from "../../src/index.js";
import type { Thresholds } from "../input/threshold-sliders.js";
import { element } from "../util/elements.js";
import { copyText } from "./clipboard.js";

export function wireSnippet(): void {
  const code = element("snippet", HTMLElement);
  const button = { text: element("copy-text", HTMLElement), icon: element("copy-icon", SVGUseElement) };
  element("copy", HTMLButtonElement).addEventListener("click", async () => {
    const copied = await copyText(code.textContent.trim(), button, "Selected");
    if (!copied) getSelection()?.selectAllChildren(code);
  });
}

/** Writes the changed thresholds, and slices, as options of `run()`. */
export function showThresholds(values: Thresholds & { slices?: SliceOptions }): void {
  showOptions(Object.fromEntries(Object.entries(values).map(([name, value]) => [name, toCode(value)])));
}

function toCode(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  return `{ ${Object.entries(value)
    .map(([name, each]) => `${name}: ${toCode(each)}`)
    .join(", ")} }`;
}

/** Writes options of `run()`, with values as code. */
export function showOptions(options: Readonly<Record<string, string>>): void {
  const place = document.getElementById("snippet-thresholds");
  if (!place) return;
  const fields = Object.entries(options).map(([name, code]) => `${name}: ${code}`);
  if (place.dataset.follows) place.textContent = fields.map((each) => `, ${each}`).join("");
  else place.textContent = fields.length ? `, { ${fields.join(", ")} }` : "";
}
