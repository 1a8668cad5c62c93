// The list of a model's outputs: which one is drawn, in which form, and why.

import type { Tensors } from "../../src/index.js";
import { describeReading } from "../outputs/describe-reading.js";
import { type Form, forms, type OutputReadings, type Reading } from "../outputs/reading.js";
import { element, make } from "../util/elements.js";
import { dimensions } from "../util/format.js";

const names: Record<Form, string> = {
  picture: "Picture",
  map: "Map",
  lines: "Lines",
  points: "Points",
  boxes: "Boxes",
  classes: "Classes",
  embedding: "Embedding",
  characters: "Characters",
  bars: "Bars",
  table: "Table",
};

interface Row {
  item: HTMLLIElement;
  radio: HTMLInputElement;
  select: HTMLSelectElement;
  readings: OutputReadings;
  /** The visitor's choice; null for the guessed form. */
  chosen: Form | null;
}

export class OutputList {
  readonly #list = element("outputs", HTMLElement);
  readonly #words = element("guess", HTMLElement);
  readonly #rows = new Map<string, Row>();
  readonly #onChange: () => void;
  /** The output that the visitor chose; null for the first one by the order of forms. */
  #chosen: string | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Updates the list, and keeps the visitor's choices. */
  update(outputs: Tensors, readings: ReadonlyMap<string, OutputReadings>): void {
    for (const [name, found] of readings) {
      const row = this.#rows.get(name) ?? this.#addRow(name, dimensions(outputs[name]?.dims ?? []), found);
      row.readings = found;
      if (row.chosen !== null && !found.possible.some(({ form }) => form === row.chosen)) row.chosen = null;
      this.#showForms(row);
    }
    element("outputs-card", HTMLElement).hidden = false;
    this.#list.classList.toggle("single", this.#rows.size === 1);
    this.#showWords();
  }

  /** The output to draw, and its reading. */
  get drawn(): { name: string; reading: Reading } | null {
    const name = this.#chosen ?? this.#mostDrawable();
    const row = name === null ? undefined : this.#rows.get(name);
    return name === null || row === undefined ? null : { name, reading: reading(row) };
  }

  #mostDrawable(): string | null {
    const ranks = [...this.#rows].map(([name, { readings }]) => ({
      name,
      rank: forms.indexOf(readings.guess.form),
    }));
    return ranks.sort((a, b) => a.rank - b.rank)[0]?.name ?? null;
  }

  #addRow(name: string, shape: string, readings: OutputReadings): Row {
    const item = make("li", "output");
    const radio = make("input");
    Object.assign(radio, { type: "radio", name: "output", autocomplete: "off" });
    radio.setAttribute("aria-label", `Draw ${name}`);
    radio.dataset.testid = `output-${this.#rows.size}`;
    const select = make("select");
    select.setAttribute("aria-label", `${name} is drawn as`);
    select.dataset.testid = `form-${this.#rows.size}`;
    const label = make("label");
    label.append(radio, make("code", "", name), make("span", "number quiet", shape));
    item.append(label, select);
    const row: Row = { item, radio, select, readings, chosen: null };
    radio.addEventListener("change", () => this.#choose(name));
    select.addEventListener("change", () => {
      row.chosen = select.value as Form;
      this.#choose(name);
    });
    this.#rows.set(name, row);
    this.#list.append(item);
    return row;
  }

  #choose(name: string): void {
    this.#chosen = name;
    this.#showWords();
    this.#onChange();
  }

  #showForms(row: Row): void {
    const options = row.readings.possible.map(({ form }) => {
      const option = make("option", "", names[form]);
      option.value = form;
      return option;
    });
    const same =
      options.map(({ value }) => value).join() === [...row.select.options].map(({ value }) => value).join();
    // Replacing options would close an open list.
    if (!same) row.select.replaceChildren(...options);
    row.select.value = reading(row).form;
  }

  #showWords(): void {
    const { drawn } = this;
    const row = drawn && this.#rows.get(drawn.name);
    if (!drawn || !row) return;
    row.radio.checked = true;
    const text = sentence(drawn.reading, row.chosen !== null && row.chosen !== row.readings.guess.form);
    // A live region announces every write.
    if (this.#words.textContent !== text) this.#words.textContent = text;
  }
}

function reading({ readings, chosen }: Row): Reading {
  return readings.possible.find(({ form }) => form === chosen) ?? readings.guess;
}

function sentence(read: Reading, chosen: boolean): string {
  const [what, why] = describeReading(read);
  if (chosen) return `Drawn as ${what}, as you chose.`;
  return read.form === "table" ? `Not drawn: ${why}.` : `Drawn as ${what}, judged ${why}.`;
}
