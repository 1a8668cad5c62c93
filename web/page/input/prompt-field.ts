// The text prompt field, and the example prompts.

import { element, elements } from "../util/elements.js";
import { linkParameter } from "./page-link.js";

export class PromptField {
  readonly #form = element("prompt-form", HTMLFormElement);
  readonly #field = element("prompt", HTMLInputElement);
  readonly #examples = elements("#prompts button", HTMLButtonElement);
  /** The prompt of the last run. */
  #lastPrompt = this.#field.value;
  /** Whether the visitor wrote the prompt; then samples do not replace it. */
  #isCustom = false;

  constructor() {
    const prompt = linkParameter("prompt")?.trim();
    if (!prompt) return;
    this.#field.value = prompt;
    this.#lastPrompt = prompt;
    this.#isCustom = true;
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
      this.#isCustom = this.#field.value.trim() !== "";
    });
    this.#field.addEventListener("change", run);
    for (const example of this.#examples) {
      example.addEventListener("click", () => {
        this.#isCustom = false;
        this.#field.value = example.textContent;
        run();
      });
    }
    this.#mark();
  }

  /** Sets a sample's prompt, unless the visitor has written one. */
  take(prompt: string): void {
    if (this.#isCustom || prompt === "") return;
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
