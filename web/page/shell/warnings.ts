// Warnings on the page, each with its code and its fix.

import type { Model, Warning } from "../../src/index.js";
import { element, make } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";

function showWarnings(warnings: readonly Warning[]): void {
  const list = element("warnings", HTMLElement);
  const different = new Map(warnings.map((warning) => [`${warning.code} ${warning.message}`, warning]));
  const key = [...different.keys()].join("\n");
  // With a camera, the same warnings come thirty times a second.
  if (list.getAttribute("data-key") === key) return;
  list.setAttribute("data-key", key);
  list.replaceChildren(...[...different.values()].map(item));
  list.hidden = different.size === 0;
  document.body.classList.toggle("warned", different.size > 0);
}

type WarningModel = Pick<Model, "warnings" | "addEventListener">;

/** Shows the warnings of the model and of its last run. */
export class ModelWarnings {
  #model: WarningModel | null = null;
  #runWarnings: Warning[] = [];
  #lastRunWarnings: readonly Warning[] = [];

  setModel(model: WarningModel | null): void {
    this.#model = model;
    this.#runWarnings = [];
    this.#lastRunWarnings = [];
    this.#show();
    model?.addEventListener("warning", () => {
      if (model === this.#model) this.#show();
    });
  }

  /** Shows a run's warnings. `model.warnings` has the warnings of all runs: only those of the last run are shown. */
  showRun(warnings: readonly Warning[]): void {
    this.#runWarnings.push(...warnings.filter((each) => !this.#isOfRun(each)));
    this.#lastRunWarnings = warnings;
    this.#show();
  }

  #show(): void {
    const lasting = (this.#model?.warnings ?? []).filter((each) => !this.#isOfRun(each));
    showWarnings([...lasting, ...this.#lastRunWarnings]);
  }

  #isOfRun(warning: Warning): boolean {
    return this.#runWarnings.some((each) => isSame(warning, each));
  }
}

/** Compares two warnings. In a model's list, the message of a later stage begins with the stage's name. */
function isSame(listed: Warning, ofRun: Warning): boolean {
  return listed.code === ofRun.code && listed.message.endsWith(ofRun.message);
}

function item({ code, message, fix }: Warning): HTMLElement {
  const row = make("li");
  row.append(make("p", "", sentenceCase(message)));
  if (fix) row.append(make("p", "fix", sentenceCase(fix)));
  row.append(make("code", "", code));
  return row;
}
