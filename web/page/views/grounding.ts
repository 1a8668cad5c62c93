// Shows detections for a text prompt, and the prompt field.

import type { RunOptions } from "../../src/index.js";
import { detectionDrawing } from "../drawing/result-drawing.js";
import type { StagePicture } from "../drawing/stage.js";
import type { Picture } from "../input/picture.js";
import { PromptField } from "../input/prompt-field.js";
import type { DetectionReader } from "../results/detections.js";
import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

/** Uses the phrases of the prompt as classes. */
const read: DetectionReader = (result) =>
  result.kind === "grounding" ? { detections: result.detections, style: { classes: result.phrases } } : null;

class GroundingView extends DetectionsView {
  protected override readonly other = "other words";
  readonly #box = new PromptField();

  constructor() {
    super(read);
  }

  onChange(rerun: () => void): void {
    this.#box.onChange(rerun);
  }

  options(): RunOptions {
    return { prompt: this.#box.value };
  }

  link(): Record<string, string> {
    return { prompt: this.#box.value };
  }

  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    if (picture?.prompt !== undefined) this.#box.take(picture.prompt);
    super.showPicture(shown, title, picture);
  }
}

export const drawing = detectionDrawing("grounding", read);
export const view: ViewModule = { kind: "grounding", create: () => new GroundingView() };
