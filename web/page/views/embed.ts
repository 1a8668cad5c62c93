// Shows a picture's embedding as a small picture, and its cosine similarity to the pictures shown before.

import type { Model, Result } from "../../src/index.js";
import { dotProduct } from "../../src/tasks/unit-vector.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import { drawVector } from "../drawing/vector-picture.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { classBar } from "../results/class-bar.js";
import { PictureSearch } from "../search/picture-search.js";
import { WordClasses } from "../search/word-classes.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

/** The number of previous pictures that are kept for comparison. */
const MAX_PICTURES = 12;

interface Alike {
  title: string;
  cosine: number;
}

class EmbedView extends BaseView {
  readonly #list = element("rows", HTMLElement);
  readonly #words = element("best", HTMLElement);
  readonly #canvas = element("vector", HTMLCanvasElement);
  readonly #shown = new Map<string, { title: string; embedding: Float32Array }>();
  /** Null if the bundle has no text encoder. */
  readonly #search = document.getElementById("search") === null ? null : new PictureSearch();
  /** Null if the bundle has no text encoder, or its logit scale is unknown. */
  readonly #classes = document.getElementById("labels-card") === null ? null : new WordClasses();
  #alike: readonly Alike[] = [];

  override setModel(model: Model | null, reason: string): void {
    this.#shown.clear();
    this.#search?.setModel(model);
    this.#classes?.setModel(model);
    super.setModel(model, reason);
  }

  showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, updateText = true): void {
    if (result.kind !== "embed") throw wrongTaskError();
    const { embedding } = result;
    this.showRun(result, updateText);
    if (!updateText) return;
    this.#classes?.show(embedding);
    this.#alike = this.#compare(embedding);
    const [nearest] = this.#alike;
    const like = nearest
      ? `like ${nearest.title}: ${nearest.cosine.toFixed(3)}`
      : "choose another picture to compare";
    this.#words.textContent = `${embedding.length} numbers; ${like}`;
    this.stage.describe(`${this.title}: ${this.#words.textContent}`);
    this.#list.replaceChildren(
      ...this.#alike.map(({ title, cosine }) => classBar(title, cosine.toFixed(3), cosine)),
    );
    drawVector(this.#canvas, embedding);
  }

  /** Returns the previous pictures, the most similar first, and stores the new one. */
  #compare(embedding: Float32Array): Alike[] {
    this.#shown.delete(this.key);
    const alike = [...this.#shown.values()].map((other) => ({
      title: other.title,
      cosine: dotProduct(embedding, other.embedding),
    }));
    this.#shown.set(this.key, { title: this.title, embedding });
    for (const key of [...this.#shown.keys()].slice(0, -MAX_PICTURES)) this.#shown.delete(key);
    return alike.sort((one, other) => other.cosine - one.cosine);
  }

  protected override legend(): PictureLegend {
    const classes = this.#classes?.rows() ?? [];
    if (classes.length > 0) return { rows: classes };
    return { rows: this.#alike.map(({ title, cosine }) => ({ label: title, value: cosine.toFixed(3) })) };
  }

  link(): Record<string, string> {
    return this.#classes?.link() ?? {};
  }

  protected override showEmpty(reason: string): void {
    this.#classes?.show(null);
    this.#words.textContent = reason;
    this.#list.replaceChildren();
    drawVector(this.#canvas, null);
  }

  clear(): void {
    this.#alike = [];
    this.stage.describe(this.title);
  }
}

export const drawing: ResultDrawing = {
  kind: "embed",
  async draw(stage, result, _model, title) {
    if (result.kind !== "embed") return null;
    const words = `a vector of ${result.embedding.length} numbers`;
    stage.describe(`${title}: ${words}`);
    return words;
  },
};
export const view: ViewModule = { kind: "embed", create: () => new EmbedView() };
