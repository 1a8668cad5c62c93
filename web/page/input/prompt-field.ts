// The field that says in words what to look for, and the prompts to try.

import { element, elements } from "../util/elements.js";
import { linkParameter } from "./page-link.js";

export class PromptField {
  readonly #form = element("prompt-form", HTMLFormElement);
  readonly #field = element("prompt", HTMLInputElement);
  readonly #examples = elements("#prompts button", HTMLButtonElement);
  /** What was last run. */
  #lastPrompt = this.#field.value;
  /** Whether the words are the visitor's own, which no sample replaces. */
  #own = false;

  constructor() {
    const prompt = linkParameter("prompt")?.trim();
    if (!prompt) return;
    this.#field.value = prompt;
    this.#lastPrompt = prompt;
    this.#own = true;
  }

  onChange(rerun: () => void): void {
    const run = (): void => {
      if (this.#field.value === this.#lastPrompt) return;
      this.#lastPrompt = this.#field.value;
      this.#mark();
      rerun();
    };
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      run();
    });
    this.#field.addEventListener("input", () => {
      this.#own = this.#field.value.trim() !== "";
    });
    this.#field.addEventListener("change", run);
    for (const example of this.#examples) {
      example.addEventListener("click", () => {
        this.#own = false;
        this.#field.value = example.textContent;
        run();
      });
    }
    this.#mark();
  }

  /** The prompt that a sample comes with, unless the visitor has written one. */
  take(prompt: string): void {
    if (this.#own || prompt === "") return;
    this.#field.value = prompt;
    this.#lastPrompt = prompt;
    this.#mark();
  }

  get value(): string {
    return this.#field.value;
  }

  #mark(): void {
    for (const example of this.#examples)
      example.setAttribute("aria-pressed", String(example.textContent === this.#field.value));
  }
}
