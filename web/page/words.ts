// Sentences of the runtime, written for a terminal, as sentences of a page.

export function sentence(text: string): string {
  const upper = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(upper) || upper === "" ? upper : `${upper}.`;
}
