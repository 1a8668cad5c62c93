// Copies text, and says on the button whether it did.

import { setIcon } from "../util/elements.js";

/** How long a button says that it copied, in milliseconds. */
const SAID_FOR = 1800;

export interface CopyButton {
  text: HTMLElement;
  icon: SVGUseElement;
}

/** Copies, and returns whether it could: the clipboard is closed to pages without a secure connection. */
export async function copyText(
  value: string,
  { text, icon }: CopyButton,
  otherwise: string,
): Promise<boolean> {
  const copied = await navigator.clipboard.writeText(value).then(
    () => true,
    () => false,
  );
  const [label, name] = [text.textContent, icon.getAttribute("href")?.replace("#icon-", "") ?? "copy"];
  if (text.dataset.said) return copied;
  text.dataset.said = "yes";
  text.textContent = copied ? "Copied" : otherwise;
  if (copied) setIcon(icon, "check");
  setTimeout(() => {
    delete text.dataset.said;
    text.textContent = label;
    setIcon(icon, name);
  }, SAID_FOR);
  return copied;
}
