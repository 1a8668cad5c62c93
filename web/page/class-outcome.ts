// Shows what a model of classes makes of a picture: the best classes as bars, the times, the warnings.

import type { ClassScore, Model, Result, Warning } from "../src/index.js";
import { element, make } from "./elements.js";
import { disagreement } from "./failure.js";
import { percent } from "./format.js";
import type { Outcome } from "./outcome.js";
import { type Shown, Stage } from "./stage.js";
import type { ThresholdSliders } from "./thresholds.js";
import { clearTimings, showTimings } from "./timings.js";
import { showWarnings } from "./warnings.js";

const shown = 5;

export class ClassOutcome implements Outcome {
  readonly #stage = new Stage(() => {});
  readonly #list = element("rows", HTMLElement);
  readonly #best = element("best", HTMLElement);
  #title = "";
  #loading: readonly Warning[] = [];

  setModel(model: Model | null, why: string): void {
    this.#loading = model?.warnings ?? [];
    showWarnings(this.#loading);
    if (model === null) this.showNone(why);
  }

  showPicture(picture: Shown, title: string): void {
    this.#title = title;
    element("hint", HTMLElement).hidden = true;
    this.#stage.showPicture(picture);
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): void {
    if (result.kind !== "classify") throw disagreement();
    const [best] = result.classes;
    if (best) this.#stage.describe(`${this.#title}: ${best.label}, ${percent(best.score)}`);
    showWarnings([...this.#loading, ...result.warnings]);
    if (!due) return;
    this.#best.textContent = best?.label ?? "";
    this.#list.replaceChildren(...result.classes.slice(0, shown).map(bar));
    showTimings(result.timings);
  }

  showNone(why: string): void {
    this.#best.textContent = why;
    this.#list.replaceChildren();
    clearTimings();
  }

  clear(): void {
    this.#stage.describe(this.#title);
  }

  setQuiet(quiet: boolean): void {
    element("count", HTMLElement).setAttribute("aria-live", quiet ? "off" : "polite");
  }
}

function bar({ label, score }: ClassScore): HTMLElement {
  const item = make("li", "class-bar");
  const name = make("span", "class-name", label);
  name.title = label;
  const meter = make("span", "meter");
  meter.style.setProperty("--share", String(Math.min(1, Math.max(0, score))));
  item.append(name, make("span", "number class-score", percent(score)), meter);
  return item;
}
