// Copies text, and shows on the button whether it worked.

import { element, setIcon } from "../util/elements.js";

/** Milliseconds for which the button shows that it copied. */
const CONFIRMATION_TIME = 1800;

/** Makes a button copy a text. Its icon and its label have its id with "-icon" and "-text". */
export function copyOnClick(button: HTMLButtonElement, text: () => string): void {
  button.addEventListener(
    "click",
    () => void copyText(text(), copyButton(button.id), "The clipboard is closed"),
  );
}

/** Returns the icon and the label of the button with this id. */
export function copyButton(id: string): CopyButton {
  return { text: element(`${id}-text`, HTMLElement), icon: element(`${id}-icon`, SVGUseElement) };
}

interface CopyButton {
  text: HTMLElement;
  icon: SVGUseElement;
}

/** Copies text, and returns whether that worked: pages without a secure connection have no clipboard. */
export async function copyText(
  value: string,
  { text, icon }: CopyButton,
  otherwise: string,
): Promise<boolean> {
  const copied = await writeText(value);
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

async function writeText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    return false;
  }
}
