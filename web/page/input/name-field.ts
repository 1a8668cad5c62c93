// The field in an object's row that sets its name, with earlier names as suggestions.

import { element, make } from "../util/elements.js";

interface NameActions {
  rename(name: string): void;
  /** Called when editing is confirmed or cancelled. */
  end(): void;
}

export class NameField {
  readonly #field = element("object-name", HTMLInputElement);
  readonly #names = element("object-names", HTMLDataListElement);
  /** The name that Escape restores. */
  #before = "";

  constructor({ rename, end }: NameActions) {
    this.#field.addEventListener("focus", () => {
      this.#before = this.#field.value;
      this.#field.select();
    });
    this.#field.addEventListener("input", () => rename(this.#field.value));
    this.#field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      if (event.key === "Escape") rename(this.#before);
      event.preventDefault();
      end();
    });
  }

  /** Shows the field over the name in a row; null removes it. */
  show(row: HTMLElement | null, name: string, names: Iterable<string>): void {
    const { parentElement } = this.#field;
    if (parentElement !== row) {
      parentElement?.classList.remove("naming");
      row?.classList.add("naming");
      if (row === null) this.#field.remove();
      else row.append(this.#field);
    }
    // Do not overwrite text that is being typed.
    if (document.activeElement !== this.#field) this.#field.value = name;
    this.#names.replaceChildren(...Array.from(names, optionOf));
  }

  focus(): void {
    this.#field.focus();
  }
}

function optionOf(name: string): HTMLOptionElement {
  const option = make("option");
  option.value = name;
  return option;
}
