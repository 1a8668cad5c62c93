// Warnings on the page, each with its code and its fix.

import type { Model, Warning } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";

function showWarnings(warnings: readonly Warning[]): void {
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

type WarningModel = Pick<Model, "warnings" | "addEventListener">;

/** What the model says, and what the last of its runs says. */
export class ModelWarnings {
  #model: WarningModel | null = null;
  #ofRuns: Warning[] = [];
  #ofLastRun: readonly Warning[] = [];

  setModel(model: WarningModel | null): void {
    this.#model = model;
    this.#ofRuns = [];
    this.#ofLastRun = [];
    this.#show();
    model?.addEventListener("warning", () => {
      if (model === this.#model) this.#show();
    });
  }

  /** The model's own list grows: by what came later, as that it left the GPU, and by the warnings of every run. */
  showRun(warnings: readonly Warning[]): void {
    this.#ofRuns.push(...warnings.filter((each) => !this.#isOfRun(each)));
    this.#ofLastRun = warnings;
    this.#show();
  }

  #show(): void {
    const lasting = (this.#model?.warnings ?? []).filter((each) => !this.#isOfRun(each));
    showWarnings([...lasting, ...this.#ofLastRun]);
  }

  #isOfRun(warning: Warning): boolean {
    return this.#ofRuns.some((each) => isSame(warning, each));
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
