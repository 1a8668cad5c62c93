// Shows the text lines of a picture in rotated boxes: all of them, or those that contain the search text.

import type { Model, Result, TextLine } from "../../src/index.js";
import { detectionDrawing } from "../drawing/result-drawing.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import type { DetectionReader, StyledDetections } from "../results/detections.js";
import { copyOnClick } from "../shell/clipboard.js";
import { element } from "../util/elements.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

const read: DetectionReader = (result) => (result.kind === "text" ? lineDetections(result.lines) : null);

function lineDetections(lines: readonly TextLine[]): StyledDetections {
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
  #showAgain: (() => Promise<void>) | null = null;

  constructor() {
    super((result) => {
      if (result.kind !== "text") return null;
      const searchText = element("search-lines", HTMLInputElement).value.trim().toLowerCase();
      return lineDetections(result.lines.filter(({ text }) => text.toLowerCase().includes(searchText)));
    });
    this.#setText("");
    copyOnClick(element("copy-lines", HTMLButtonElement), () => this.#text);
    this.#search.addEventListener("input", () => void this.#showAgain?.());
  }

  override async showResult(
    result: Result,
    model: Model,
    thresholds: ThresholdSliders,
    updateText = true,
  ): Promise<void> {
    if (result.kind === "text") this.#setText(result.text);
    this.#showAgain = () => super.showResult(result, model, thresholds);
    await super.showResult(result, model, thresholds, updateText);
  }

  /** Lines get no track ids: their text tells them apart. */
  protected override track(): void {}

  protected override emptyText(classes: readonly string[], confidence: number | null): string {
    if (this.#text === "") return super.emptyText(classes, confidence);
    return `No line contains "${this.#search.value.trim()}".`;
  }

  #setText(text: string): void {
    this.#text = text;
    element("copy-lines", HTMLButtonElement).disabled = text === "";
  }

  override clear(): void {
    this.#showAgain = null;
    this.#setText("");
    super.clear();
  }
}

export const drawing = detectionDrawing("text", read);
export const view: ViewModule = { kind: "text", create: () => new TextView() };
