// Copies text, and says on the button whether it did.

import { element, setIcon } from "../util/elements.js";

/** How long a button says that it copied, in milliseconds. */
const CONFIRMATION_TIME = 1800;

/** Lets a button copy a text that is long. Its icon and its words have its id with "-icon" and "-text". */
export function copyOnClick(button: HTMLButtonElement, text: () => string): void {
  button.addEventListener(
    "click",
    () => void copyText(text(), copyButton(button.id), "The clipboard is closed"),
  );
}

/** The parts of the button of an id that say what it did. */
export function copyButton(id: string): CopyButton {
  return { text: element(`${id}-text`, HTMLElement), icon: element(`${id}-icon`, SVGUseElement) };
}

interface CopyButton {
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
  }, CONFIRMATION_TIME);
  return copied;
}
