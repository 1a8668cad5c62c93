// Sentences of the runtime, written for a terminal, as sentences of a page.

export function sentenceCase(text: string): string {
  // A path or a name at the start keeps its letters.
  const upper = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return upper === "" || /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
