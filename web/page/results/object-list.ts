// The list of prompted objects: a row for each, in its colour, with a field to name the chosen one.

import { objectColors } from "../drawing/object-layer.js";
import { cssColor } from "../drawing/region-colors.js";
import { type AnsweredObjects, unnamed } from "../input/answered-objects.js";
import { NameField } from "../input/name-field.js";
import { percent } from "../util/format.js";
import { ResultList, type ResultRow } from "./result-list.js";

interface ListActions {
  /** A row was pressed: chooses its object, or null if it was chosen already. */
  choose(id: number | null): void;
  /** The pointer is on a row other than the chosen one; null if it is on none. */
  light(index: number | null): void;
  rename(name: string): void;
  /** The chosen object was named. */
  named(): void;
}

export class ObjectList {
  readonly #objects: AnsweredObjects;
  readonly #actions: ListActions;
  readonly #results = new ResultList((index) => this.#point(index));
  readonly #field: NameField;

  constructor(objects: AnsweredObjects, actions: ListActions) {
    this.#objects = objects;
    this.#actions = actions;
    this.#field = new NameField({ rename: actions.rename, end: actions.named });
  }

  show(): void {
    const { all, chosen } = this.#objects;
    const rows = this.rows();
    this.#results.show(rows, rows.length === 1 ? "object" : "objects");
    this.#results.pin(chosen === null ? null : all.indexOf(chosen));
    const names = new Set(all.map((each) => this.#objects.nameOf(each)));
    names.delete(unnamed);
    const name = chosen === null ? unnamed : this.#objects.nameOf(chosen);
    this.#field.show(this.#results.pinnedItem, name === unnamed ? "" : name, names);
  }

  showNone(reason: string): void {
    this.#field.show(null, "", []);
    this.#results.showNone(reason);
  }

  /** Lets the visitor name the chosen object. */
  name(): void {
    this.#field.focus();
  }

  rows(): ResultRow[] {
    const { all } = this.#objects;
    const colors = objectColors(all);
    return all.map((object, index) => {
      const { mask, share } = this.#objects.answerOf(object) ?? { mask: null, share: 0 };
      const color = colors[index];
      return {
        label: this.#objects.nameOf(object),
        color: color ? cssColor(color) : null,
        detail: mask?.score.toFixed(2) ?? "",
        share,
        value: percent(share),
      };
    });
  }

  #point(index: number | null): void {
    const { all, chosen } = this.#objects;
    const { pinned } = this.#results;
    const id = pinned === null ? null : (all[pinned]?.id ?? null);
    if (id !== (chosen?.id ?? null)) {
      this.#actions.choose(id);
      return;
    }
    this.#results.highlight(index);
    this.#actions.light(index === pinned ? null : index);
  }
}
