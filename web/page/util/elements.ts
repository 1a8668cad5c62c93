// Finds the elements of the page's template, typed.

export function element<T extends Element>(id: string, type: abstract new () => T): T {
  const found = document.getElementById(id);
  if (found instanceof type) return found;
  throw new Error(`The page has no ${type.name} #${id}: page.js and index.html are of different versions.`);
}

export function elements<T extends Element>(selector: string, type: abstract new () => T): T[] {
  return [...document.querySelectorAll(selector)].filter((found): found is T => found instanceof type);
}

/** Creates an element with a class and text. Text is never parsed as markup. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  className = "",
  text = "",
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  if (className) created.className = className;
  if (text) created.textContent = text;
  return created;
}

/** Fills the track of a slider up to its thumb. */
export function fillTrack(slider: HTMLInputElement): void {
  const least = Number(slider.min);
  const share = (slider.valueAsNumber - least) / (Number(slider.max) - least);
  slider.style.setProperty("--share", String(share));
}

/** Switches a `<use>` of the template to another icon of its sprite. */
export function setIcon(use: SVGUseElement, name: string): void {
  use.setAttribute("href", `#icon-${name}`);
}
