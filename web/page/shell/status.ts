// The status of the page: a word for scripts (`body[data-state]`), a sentence for people and screen readers.

import { element } from "../util/elements.js";

type State = "loading" | "ready" | "running" | "error";

export function setState(state: State): void {
  document.body.dataset.state = state;
}

export function setStatus(state: State, sentence: string): void {
  setState(state);
  const text = element("status", HTMLElement);
  // A live region announces every write, so do not write an unchanged sentence.
  if (text.textContent !== sentence) text.textContent = sentence;
}
