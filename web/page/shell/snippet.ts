// The button that copies the three lines of code.

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
