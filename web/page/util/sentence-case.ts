// Turns the runtime's messages, written for a terminal, into sentences with a capital and a period.

export function sentenceCase(text: string): string {
  // A path or a name at the start stays unchanged.
  const upper = /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
  return upper === "" || /[.!?]$/.test(upper) ? upper : `${upper}.`;
}
