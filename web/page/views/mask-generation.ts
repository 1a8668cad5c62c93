// Shows the masks of what the visitor points at: objects, each with its clicks and its box, one after another.

import {
  type MaskGenerationResult,
  type Model,
  type ObjectMask,
  type Point,
  type Result,
  type RunOptions,
  toCoco,
  toPng,
} from "../../src/index.js";
import { drawPrompt } from "../drawing/draw-prompt.js";
import { maskMap } from "../drawing/mask-map.js";
import { RegionBitmap } from "../drawing/region-bitmap.js";
import { type Color, regionColors, written } from "../drawing/region-colors.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePicture } from "../drawing/stage.js";
import { HoverPreview } from "../input/hover-preview.js";
import type { Picture } from "../input/picture.js";
import { PromptPointer } from "../input/prompt-pointer.js";
import { type PromptedObject, PromptedObjects, promptOf } from "../input/prompted-objects.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { ResultList } from "../results/result-list.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { download } from "../util/download.js";
import { element, elements } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

/** The mask of an object, and the prompt that it answers. */
interface Answer {
  prompt: PromptedObject;
  mask: ObjectMask;
  share: number;
}

class MaskGenerationView extends BaseView {
  readonly asksOften = true;
  readonly #root = element("stage", HTMLElement);
  readonly #objects = new PromptedObjects();
  readonly #answers = new Map<number, Answer>();
  readonly #results = new ResultList((index) => this.#pointAtRow(index));
  readonly #bitmap = new RegionBitmap();
  readonly #modes = elements("input[name=click]", HTMLInputElement);
  readonly #buttons = {
    undo: button("undo-click", () => this.#edit(() => this.#objects.undo())),
    end: button("new-object", () => this.#edit(() => this.#objects.choose(null))),
    remove: button("remove-object", () => this.#edit(() => this.#objects.removeChosen())),
    cutout: button("save-cutout", () => void this.#saveCutout()),
    coco: button("save-coco", () => this.#saveCoco()),
  };
  readonly #pointer = new PromptPointer(this.stage, this.#root, {
    click: (point, beside) => this.#click(point, beside),
    drag: (box) => this.#edit(() => this.#objects.drag(box)),
    undo: () => this.#edit(() => this.#objects.undo()),
    endObject: () => this.#edit(() => this.#objects.choose(null)),
    hover: (place) => this.#hover.move(this.#objects.chosen === null ? place : null),
  });
  readonly #hover = new HoverPreview<ObjectMask>(
    async (place) => bestOf(await this.#ask(promptOf({ clicks: [{ ...place, label: 1 }], box: null }))),
    (mask) => this.#showPreview(mask),
  );
  #preview: ObjectMask | null = null;
  /** The object that the run under way is about, null where nothing is pointed at. */
  #asked: PromptedObject | null = null;
  #last: MaskGenerationResult | null = null;
  /** Whether no result is shown: none has come yet, or the last run failed. */
  #isEmpty = true;
  #picture: StagePicture | null = null;
  #size = { width: 1, height: 1 };
  #highlighted: number | null = null;
  #rerun: () => void = () => {};
  #ask: (options: RunOptions) => Promise<Result | null> = async () => null;

  constructor() {
    super();
    this.#root.setAttribute("aria-describedby", "click-keys");
    this.stage.decorate((context, fit) => {
      const { chosen } = this.#objects;
      if (chosen !== null) drawPrompt(context, fit, chosen);
      this.#pointer.draw(context, fit);
    });
  }

  onChange(rerun: () => void): void {
    this.#rerun = rerun;
  }

  onAsk(ask: (options: RunOptions) => Promise<Result | null>): void {
    this.#ask = ask;
  }

  /** Where nothing is pointed at, the middle of the picture is asked for: the first click then finds all at work. */
  options(): RunOptions {
    this.#asked = this.#unanswered() ?? this.#objects.chosen;
    const { width, height } = this.#size;
    const middle = { clicks: [{ x: width / 2, y: height / 2, label: 1 as const }], box: null };
    return promptOf(this.#asked ?? middle);
  }

  /** The frames of a camera keep the prompts of the first. */
  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    super.showPicture(shown, title);
    this.#picture = shown;
    const { width, height } = this.#size;
    if (picture === undefined && shown.size.width === width && shown.size.height === height) return;
    this.#size = shown.size;
    this.#pointer.setSize(shown.size);
    this.#objects.clear();
    this.#answers.clear();
    this.#last = null;
    this.#hover.move(null);
    this.#enable();
  }

  async showResult(result: Result, _model: Model, _thresholds: ThresholdSliders, due = true): Promise<void> {
    if (result.kind !== "mask-generation") throw wrongTaskError();
    this.showRun(result, due);
    this.#last = result;
    this.#isEmpty = false;
    const mask = bestOf(result);
    const prompt = this.#objects.all.find((each) => each === this.#asked);
    if (mask && prompt) this.#answers.set(prompt.id, { prompt, mask, share: shareOf(mask.mask) });
    if (due) this.#list();
    this.#enable();
    await this.#paint();
    if (this.#unanswered() !== null) this.#rerun();
  }

  whole(result: Result): Result {
    return result.kind === "mask-generation" ? { ...result, best: 0, masks: this.#masks() } : result;
  }

  protected override empty(reason: string): void {
    this.#isEmpty = true;
    this.#results.showNone(reason);
  }

  clear(): void {
    this.#bitmap.stop();
    this.stage.showMap(null);
  }

  #click({ x, y }: Point, beside: boolean): void {
    const leavesOut = beside || this.#modes.find(({ checked }) => checked)?.value === "leave-out";
    this.#edit(() => this.#objects.click({ x, y, label: leavesOut ? 0 : 1 }));
  }

  /** Asks again only for what has no answer yet. */
  #edit(change: () => void): void {
    change();
    this.#hover.move(null);
    const ids = new Set(this.#objects.all.map(({ id }) => id));
    for (const id of this.#answers.keys()) if (!ids.has(id)) this.#answers.delete(id);
    this.#highlighted = null;
    this.#enable();
    this.stage.redraw();
    if (!this.#isEmpty) this.#list();
    if (this.#isEmpty || this.#unanswered() !== null) this.#rerun();
    else void this.#paint();
  }

  /** The chosen object first. */
  #unanswered(): PromptedObject | null {
    const { all, chosen } = this.#objects;
    const isOpen = (each: PromptedObject) => this.#answers.get(each.id)?.prompt !== each;
    return chosen !== null && isOpen(chosen) ? chosen : (all.find(isOpen) ?? null);
  }

  #masks(): ObjectMask[] {
    return this.#objects.all.flatMap(({ id }) => this.#answers.get(id)?.mask ?? []);
  }

  #pointAtRow(index: number | null): void {
    const { pinned } = this.#results;
    const id = pinned === null ? null : (this.#objects.all[pinned]?.id ?? null);
    if (id !== (this.#objects.chosen?.id ?? null)) {
      this.#edit(() => this.#objects.choose(id));
      return;
    }
    this.#highlighted = index === pinned ? null : index;
    this.#results.highlight(index);
    void this.#paint();
  }

  #showPreview(mask: ObjectMask | null): void {
    if (mask === null && this.#preview === null) return;
    this.#preview = this.#objects.chosen === null ? mask : null;
    void this.#paint();
  }

  #list(): void {
    const { all, chosen } = this.#objects;
    const colors = colorsOf(all);
    const rows = all.map(({ id }, index) => {
      const { mask, share = 0 } = this.#answers.get(id) ?? {};
      const detail = mask?.score.toFixed(2) ?? "";
      return {
        label: "object",
        color: written(colors[index] ?? white),
        detail,
        share,
        value: percent(share),
      };
    });
    this.#results.show(rows, rows.length === 1 ? "object" : "objects");
    this.#results.pin(chosen === null ? null : all.indexOf(chosen));
    const areas = rows.map(({ value }) => value).join(", ");
    this.stage.describe(`${this.title}: ${areas ? `objects that cover ${areas}` : "no object"}`);
  }

  #enable(): void {
    const { all, chosen, canUndo } = this.#objects;
    this.#buttons.undo.disabled = !canUndo;
    this.#buttons.end.disabled = this.#buttons.remove.disabled = chosen === null;
    this.#buttons.cutout.disabled = chosen === null || !this.#answers.has(chosen.id);
    this.#buttons.coco.disabled = !all.some(({ id }) => this.#answers.has(id));
  }

  async #paint(): Promise<void> {
    if (this.#last === null) return;
    const { width, height } = this.#last;
    const none = { mask: new Uint8Array(0) };
    const { all, nextId } = this.#objects;
    const masks = all.map(({ id }) => this.#answers.get(id)?.mask ?? none);
    // A preview lies below what was found.
    const map = maskMap(this.#preview ? [this.#preview, ...masks] : masks, width * height);
    const colors = colorsOf(this.#preview ? [{ id: nextId }, ...all] : all);
    const lit = this.#highlighted === null ? null : this.#highlighted + (this.#preview ? 2 : 1);
    const picture = await this.#bitmap.paint({ map, width, height }, colors, lit);
    if (picture !== null) this.stage.showMap(picture);
  }

  async #saveCutout(): Promise<void> {
    const { chosen, all } = this.#objects;
    const mask = chosen && this.#answers.get(chosen.id)?.mask;
    if (!chosen || !mask || !this.#last || !this.#picture) return;
    const png = await toPng({ ...this.#last, masks: [mask] }, 0, this.#picture.picture);
    download(png, `object-${all.indexOf(chosen) + 1}.png`);
  }

  #saveCoco(): void {
    if (this.#last === null) return;
    const coco = toCoco({ ...this.#last, masks: this.#masks() }, { fileName: this.title });
    download(new Blob([JSON.stringify(coco, null, 2)], { type: "application/json" }), "objects.json");
  }
}

const white: Color = [255, 255, 255];

function button(id: string, onClick: () => void): HTMLButtonElement {
  const found = element(id, HTMLButtonElement);
  found.addEventListener("click", onClick);
  return found;
}

function bestOf(result: Result | null): ObjectMask | null {
  return result?.kind === "mask-generation" ? (result.masks[result.best] ?? null) : null;
}

function colorsOf(objects: readonly Pick<PromptedObject, "id">[]): Color[] {
  return regionColors(objects.map(({ id }) => ({ classIndex: id })));
}

function shareOf(mask: Uint8Array): number {
  return mask.reduce((sum, pixel) => sum + pixel, 0) / Math.max(1, mask.length);
}

export const drawing: ResultDrawing = {
  kind: "mask-generation",
  async draw(stage, result, _model, title) {
    const mask = bestOf(result);
    if (result.kind !== "mask-generation") return null;
    const words = mask === null ? "no mask" : `a mask of ${percent(shareOf(mask.mask))}`;
    stage.describe(`${title}: ${words}`);
    const { masks, width, height } = result;
    const map = { map: maskMap(masks, width * height), width, height };
    stage.showMap(await new RegionBitmap().paint(map, colorsOf(masks.map((_, id) => ({ id }))), null));
    return words;
  },
};
export const view: ViewModule = { kind: "mask-generation", create: () => new MaskGenerationView() };
