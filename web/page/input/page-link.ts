// The page's link: thresholds, size, the task's options and the sample as parameters in the URL's hash.

const PARAMETERS = new URLSearchParams(location.hash.slice(1));

/** Returns a parameter of the page's link, null if it is not there. */
export function linkParameter(name: string): string | null {
  return PARAMETERS.get(name);
}

/** Sets a slider from a parameter of the page's link. Returns false if there is no such number. */
export function setFromLink(slider: HTMLInputElement, name: string): boolean {
  const value = linkParameter(name);
  if (value === null || value.trim() === "" || !Number.isFinite(Number(value))) return false;
  slider.value = value;
  return true;
}

/**
 * Reloads the page when another link to it is entered in its address bar: a change of the hash alone would only scroll.
 * Back from a section of the page keeps the picture.
 */
export function openLinks(): void {
  let left = "";
  addEventListener("hashchange", ({ oldURL }) => {
    if (!location.hash.includes("=")) left = new URL(oldURL).hash;
    else if (location.hash !== left) location.reload();
  });
}

/** Returns the page's URL with these choices. */
export function linkTo(choices: Record<string, string | number>): string {
  const address = new URL(location.href);
  address.hash = new URLSearchParams(
    Object.entries(choices).map(([name, value]) => [name, String(value)]),
  ).toString();
  return address.href;
}
