// The link to what a visitor sees: thresholds, size, numbers, what the task adds, and sample, behind the # of the address.

const CHOICES = new URLSearchParams(location.hash.slice(1));

/** What the page's address says of a choice; null where it says nothing. */
export function linked(name: string): string | null {
  return CHOICES.get(name);
}

/** Moves a slider to the number that the page's address says, within its range. False: it says none. */
export function takeLinked(slider: HTMLInputElement, name: string): boolean {
  const value = linked(name);
  if (value === null || value.trim() === "" || !Number.isFinite(Number(value))) return false;
  slider.value = value;
  return true;
}

/** Opens a link that is put into the address of the open page, which a browser only scrolls by. */
export function openLinks(): void {
  addEventListener("hashchange", () => {
    if (location.hash.includes("=")) location.reload();
  });
}

/** The page's address with these choices. */
export function linkTo(choices: Record<string, string | number>): string {
  const address = new URL(location.href);
  address.hash = new URLSearchParams(
    Object.entries(choices).map(([name, value]) => [name, String(value)]),
  ).toString();
  return address.href;
}
