// A failure, told to the visitor: what happened, how to mend it, and its code.

import { element } from "./elements.js";
import { setStatus } from "./status.js";
import { sentence } from "./words.js";

export class PageError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

interface Failure {
  code: string;
  message: string;
  fix: string;
}

/** Errors of the runtime carry `code` and `fix`; anything else is a bug and says so. */
export function describe(error: unknown): Failure {
  const { code, message, fix } = Object(error) as Partial<Failure>;
  return {
    code: code || "unexpected",
    message: message || String(error),
    fix: fix || "Reload the page. If it happens again, open the browser's console and report what it says.",
  };
}

export function isAbort(error: unknown): boolean {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return name === "AbortError" || code === "aborted";
}

export class FailureCard {
  readonly #card = element("failure", HTMLElement);
  readonly #retry = element("failure-retry", HTMLButtonElement);
  readonly #dismiss = element("failure-dismiss", HTMLButtonElement);
  #again: (() => void) | null = null;

  constructor(onDismiss: () => void) {
    this.#retry.addEventListener("click", () => this.#again?.());
    this.#dismiss.addEventListener("click", () => {
      this.clear();
      onDismiss();
    });
  }

  /** Without `again` nothing can be tried again, and the card can be dismissed instead. */
  show(error: unknown, again: (() => void) | null): void {
    const { code, message, fix } = describe(error);
    element("failure-code", HTMLElement).textContent = code;
    element("failure-message", HTMLElement).textContent = sentence(message);
    element("failure-fix", HTMLElement).textContent = sentence(fix);
    this.#again = again;
    this.#retry.hidden = again === null;
    this.#dismiss.hidden = again !== null;
    this.#card.hidden = false;
    setStatus("error", "Failed");
  }

  clear(): void {
    this.#card.hidden = true;
  }
}
