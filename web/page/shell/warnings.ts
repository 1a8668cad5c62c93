// What the visitor should know although the page works: each warning with its code and its fix.

import type { Model, Warning } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";

export function showWarnings(warnings: readonly Warning[]): void {
  const list = element("warnings", HTMLElement);
  const different = new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning]));
  const key = [...different.keys()].join("\n");
  // A camera shows the same warnings thirty times a second.
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  list.replaceChildren(...[...different.values()].map(item));
  list.hidden = different.size === 0;
  document.body.classList.toggle("warned", different.size > 0);
}

/** What the model says, and what the last of its runs says. */
export class ModelWarnings {
  #model: Pick<Model, "warnings"> | null = null;
  #ofRuns: Warning[] = [];

  setModel(model: Pick<Model, "warnings"> | null): void {
    this.#model = model;
    this.#ofRuns = [];
    showWarnings(model?.warnings ?? []);
  }

  /** The model's own list grows: by what came later, as that it left the GPU, and by the warnings of every run. */
  showRun(warnings: readonly Warning[]): void {
    const isOfRun = (each: Warning) => this.#ofRuns.some((other) => isSame(each, other));
    this.#ofRuns.push(...warnings.filter((each) => !isOfRun(each)));
    const lasting = (this.#model?.warnings ?? []).filter((each) => !isOfRun(each));
    showWarnings([...lasting, ...warnings]);
  }
}

/** A model's list names the stage before what a later stage says. */
function isSame(listed: Warning, said: Warning): boolean {
  return listed.code === said.code && listed.message.endsWith(said.message);
}

function item({ code, message, fix }: Warning): HTMLElement {
  const row = make("li");
  row.append(make("p", "", sentenceCase(message)));
  if (fix) row.append(make("p", "fix", sentenceCase(fix)));
  row.append(make("code", "", code));
  return row;
}
