// Shows an error to the visitor: what happened, how to fix it, and its code.

import { element } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";
import { copyOnClick } from "./clipboard.js";
import { setStatus } from "./status.js";

export class PageError extends Error {
  constructor(
    readonly code: string,
    message: string,
    readonly fix: string,
  ) {
    super(message);
  }
}

/** The error for a result of another task than the page's. */
export function wrongTaskError(): PageError {
  const fix = "Pack the model again: the page and the manifest disagree.";
  return new PageError("invalid-result", "The model returned a result that this page cannot show.", fix);
}

interface Failure {
  code: string;
  message: string;
  fix: string;
}

/** Returns an error's `code`, `message` and `fix`. Errors without a code are bugs, and the text says so. */
export function describe(error: unknown): Failure {
  const { code, message, fix } = Object(error) as Partial<Record<keyof Failure, unknown>>;
  // A DOMException's `code` is a meaningless number.
  return {
    code: text(code) || "unexpected",
    message: text(message) || String(error),
    fix:
      text(fix) ||
      "Reload the page. If it happens again, open the browser's console and report what it says.",
  };
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function isAbort(error: unknown): boolean {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown };
  return name === "AbortError" || code === "aborted";
}

/** Links to the documentation page of a runtime error. */
function showPage(error: unknown): void {
  const { url } = Object(error) as { url?: unknown };
  const link = element("failure-page", HTMLAnchorElement);
  if (typeof url === "string") link.href = url;
  else link.removeAttribute("href");
}

export class FailureCard {
  readonly #card = element("failure", HTMLElement);
  readonly #retry = element("failure-retry", HTMLButtonElement);
  readonly #dismiss = element("failure-dismiss", HTMLButtonElement);
  /** Returns the report of a failure, which the card offers to copy. */
  report: (error: unknown) => string = String;
  #shown: unknown = null;
  /** A failure that leaves no model: it stays until the model is loaded again. */
  #lastingFailure: { error: unknown; again: () => void } | null = null;
  /** The element that had the focus before the card, and gets it back. */
  #before: EventTarget | null = null;

  /** Called when no failure is shown any more. */
  readonly #onHide: () => void;

  constructor(onHide: () => void) {
    this.#onHide = onHide;
    this.#card.addEventListener("focusin", ({ relatedTarget }) => {
      if (!this.#card.contains(relatedTarget as Node | null)) this.#before = relatedTarget;
    });
    this.#retry.addEventListener("click", () => this.#lastingFailure?.again());
    copyOnClick(element("failure-report", HTMLButtonElement), () => this.report(this.#shown));
    this.#dismiss.addEventListener("click", () => this.clear());
  }

  /** Whether there is no model until it is loaded again. */
  get isLasting(): boolean {
    return this.#lastingFailure !== null;
  }

  show(error: unknown): void {
    const { code, message, fix } = describe(error);
    this.#shown = error;
    element("failure-code", HTMLElement).textContent = code;
    showPage(error);
    element("failure-message", HTMLElement).textContent = sentenceCase(message);
    element("failure-fix", HTMLElement).textContent = sentenceCase(fix);
    this.#retry.hidden = error !== this.#lastingFailure?.error;
    this.#dismiss.hidden = !this.#retry.hidden;
    this.#card.hidden = false;
    setStatus("error", "Failed");
  }

  showLasting(error: unknown, again: () => void): void {
    this.#lastingFailure = { error, again };
    this.show(error);
  }

  /** Hides the failure; a lasting failure is shown again. */
  clear(): void {
    if (this.#card.hidden) return;
    if (this.#card.contains(document.activeElement) && this.#before instanceof HTMLElement)
      this.#before.focus();
    this.#card.hidden = true;
    if (this.#lastingFailure) this.show(this.#lastingFailure.error);
    else this.#onHide();
  }

  /** Removes every failure. */
  reset(): void {
    this.#lastingFailure = null;
    this.clear();
  }
}
