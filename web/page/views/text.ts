// Shows the lines of text in a picture, each in its rotated box: all of them to copy, or those that hold what is searched for.

import type { Model, Result, TextLine } from "../../src/index.js";
import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import type { FoundDetections, ReadDetections } from "../results/detections.js";
import { copyOnClick } from "../shell/clipboard.js";
import { element } from "../util/elements.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: ReadDetections = (result) => (result.kind === "text" ? found(result.lines) : null);

function found(lines: readonly TextLine[]): FoundDetections {
  const detections = lines.map((line) => ({
    ...line,
    label: line.text,
    classIndex: 0,
    ...(line.turned && { detail: "turned by 180°" }),
  }));
  return { detections, style: { classes: ["line"], labelsOnHover: true } };
}

class TextView extends DetectionsView {
  readonly #search = element("search-lines", HTMLInputElement);
  #text = "";
  #again: (() => Promise<void>) | null = null;

  constructor() {
    super((result) => {
      if (result.kind !== "text") return null;
      const sought = element("search-lines", HTMLInputElement).value.trim().toLowerCase();
      return found(result.lines.filter(({ text }) => text.toLowerCase().includes(sought)));
    });
    copyOnClick(element("copy-lines", HTMLButtonElement), () => this.#text);
    this.#search.addEventListener("input", () => void this.#again?.());
  }

  override async showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    due = true,
  ): Promise<void> {
    if (result.kind === "text") this.#text = result.text;
    this.#again = () => super.showResult(result, model, thresholds);
    await super.showResult(result, model, thresholds, due);
  }

  /** Lines have no numbers: what they say tells them apart. */
  protected override track(): void {}

  override clear(): void {
    this.#again = null;
    super.clear();
  }
}

export const drawing = detectionDrawing("text", read);
export const view: ViewModule = { kind: "text", create: () => new TextView() };
