// The button that copies the three lines of code.

import { element, setIcon } from "../util/elements.js";

export function wireSnippet(): void {
  const code = element("snippet", HTMLElement);
  const text = element("copy-text", HTMLElement);
  const icon = element("copy-icon", SVGUseElement);
  element("copy", HTMLButtonElement).addEventListener("click", async () => {
    const copied = await copy(code.textContent.trim());
    if (!copied) getSelection()?.selectAllChildren(code);
    text.textContent = copied ? "Copied" : "Selected";
    setIcon(icon, copied ? "check" : "copy");
    setTimeout(() => {
      text.textContent = "Copy";
      setIcon(icon, "copy");
    }, 1800);
  });
}

/** The clipboard is closed to pages without a secure connection. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
