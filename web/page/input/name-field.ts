// The field in the row of an object that names it, with the names that were given before.

import { element, make } from "../util/elements.js";

interface NameActions {
  rename(name: string): void;
  /** The name is given, or kept as it was. */
  end(): void;
}

export class NameField {
  readonly #field = element("object-name", HTMLInputElement);
  readonly #names = element("object-names", HTMLDataListElement);
  /** What Escape brings back. */
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

  /** Lays the field over the name in a row; null takes it away. */
  show(row: HTMLElement | null, name: string, names: Iterable<string>): void {
    const { parentElement } = this.#field;
    if (parentElement !== row) {
      parentElement?.classList.remove("naming");
      row?.classList.add("naming");
      if (row === null) this.#field.remove();
      else row.append(this.#field);
    }
    // What is being typed is left alone.
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
