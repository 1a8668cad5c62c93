// Shows masks of prompted objects (Segment Anything): each object has clicks or a box, and the resulting mask.

import type {
  EverythingResult,
  MaskGenerationResult,
  Model,
  ObjectMask,
  Point,
  Result,
  RunOptions,
} from "../../src/index.js";
import { drawPrompt } from "../drawing/draw-prompt.js";
import { maskMap } from "../drawing/mask-map.js";
import { ObjectLayer, objectColors } from "../drawing/object-layer.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import { RegionBitmap } from "../drawing/region-bitmap.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import { paintedSize } from "../drawing/sliced-painter.js";
import type { StagePicture } from "../drawing/stage.js";
import { type Answer, AnsweredObjects } from "../input/answered-objects.js";
import { EverythingButton, type FindEverything } from "../input/everything-button.js";
import { HoverPreview } from "../input/hover-preview.js";
import { ObjectButtons } from "../input/object-buttons.js";
import type { Picture } from "../input/picture.js";
import { PromptPointer } from "../input/prompt-pointer.js";
import { type PromptedObject, promptOf } from "../input/prompted-objects.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { maskShare } from "../results/mask-share.js";
import { saveCoco, saveCutout } from "../results/object-files.js";
import { ObjectList } from "../results/object-list.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element } from "../util/elements.js";
import { percent } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

class MaskGenerationView extends BaseView {
  readonly reusesScene = true;
  readonly #root = element("stage", HTMLElement);
  readonly #objects = new AnsweredObjects();
  readonly #layer = new ObjectLayer(this.stage, this.#objects);
  readonly #list = new ObjectList(this.#objects, {
    choose: (id) => this.#edit(() => this.#objects.choose(id)),
    light: (index) => {
      this.#highlighted = index;
      void this.#paint();
    },
    rename: (name) => this.#rename(name),
    named: () => this.#root.focus({ preventScroll: true }),
  });
  readonly #buttons = new ObjectButtons({
    undo: () => this.#edit(() => this.#objects.undo()),
    end: () => this.#edit(() => this.#objects.choose(null)),
    remove: () => this.#edit(() => this.#objects.removeChosen()),
    saveCutout: () => void this.#saveCutout(),
    saveCoco: () => this.#saveCoco(),
  });
  readonly #pointer = new PromptPointer(this.stage, this.#root, {
    click: (point, isBackground) => this.#click(point, isBackground),
    drag: (box) => this.#edit(() => this.#objects.drag(box)),
    undo: () => this.#edit(() => this.#objects.undo()),
    endObject: () => this.#edit(() => this.#objects.choose(null)),
    name: () => this.#list.name(),
    hover: (point) => this.#hover.move(this.#objects.chosen === null ? point : null),
  });
  readonly #hover = new HoverPreview<ObjectMask>(
    async (point) => bestOf(await this.#idleRun(promptOf({ clicks: [{ ...point, label: 1 }], box: null }))),
    (mask) => {
      if (this.#layer.preview(mask)) void this.#paint();
    },
  );
  readonly #everything = new EverythingButton((found) => this.#addAll(found));
  /** The object of the current run's prompt, null without a prompt. */
  #runObject: PromptedObject | null = null;
  #last: MaskGenerationResult | null = null;
  /** Whether no result is shown: there was none yet, or the last run failed. */
  #isEmpty = true;
  #picture: StagePicture | null = null;
  #fileName = "";
  #size = { width: 1, height: 1 };
  /** The object under the pointer in the list. */
  #highlighted: number | null = null;
  #rerun: () => void = () => {};
  #idleRun: (options: RunOptions) => Promise<Result | null> = async () => null;

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

  setIdleRun(ask: (options: RunOptions) => Promise<Result | null>): void {
    this.#idleRun = ask;
  }

  override setModel(model: Model | null, reason: string): void {
    if (model === null) this.#everything.disable();
    super.setModel(model, reason);
  }

  setFindEverything(find: FindEverything): void {
    this.#everything.onFind(find);
  }

  /** The prompt of the next run. Without an object, it is the middle of the picture, as a warm-up for the first click. */
  options(): RunOptions {
    this.#runObject = this.#objects.unanswered ?? this.#objects.chosen;
    const { width, height } = this.#size;
    const middle = { clicks: [{ x: width / 2, y: height / 2, label: 1 as const }], box: null };
    return promptOf(this.#runObject ?? middle);
  }

  /** The frames of a camera keep the prompts of the first. */
  override showPicture(shown: StagePicture, title: string, picture?: Picture): void {
    super.showPicture(shown, title, picture);
    this.#picture = shown;
    this.#fileName = picture?.fileName ?? "";
    const { width, height } = this.#size;
    if (picture === undefined && shown.size.width === width && shown.size.height === height) return;
    this.#everything.stop();
    this.#size = shown.size;
    this.#pointer.setSize(shown.size);
    this.#objects.clear();
    this.#last = null;
    this.#hover.move(null);
    this.#buttons.enable(this.#objects);
  }

  async showResult(
    result: Result,
    _model: Model,
    _thresholds: ThresholdSliders,
    updateText = true,
  ): Promise<void> {
    if (result.kind !== "mask-generation") throw wrongTaskError();
    this.showRun(result, updateText);
    this.#last = result;
    this.#isEmpty = false;
    const mask = bestOf(result);
    const object = this.#runObject;
    if (mask && object) {
      const share = await maskShare(mask, result.width, result.height);
      if (this.#last !== result) return;
      this.#objects.answer(object, { mask, share });
    }
    if (updateText) this.#showList();
    this.#buttons.enable(this.#objects);
    this.#everything.enable();
    await this.#paint();
    if (this.#objects.unanswered !== null) this.#rerun();
  }

  /** All objects' masks. Those of `everything()` stay run-length encoded, so that the JSON is not too large. */
  fullResult(result: Result): Result {
    if (result.kind !== "mask-generation") return result;
    return { ...result, best: 0, masks: this.#objects.masks as ObjectMask[] };
  }

  protected override showEmpty(reason: string): void {
    this.#isEmpty = true;
    this.#list.showNone(reason);
  }

  clear(): void {
    this.#layer.clear();
  }

  #click({ x, y }: Point, isBackground: boolean): void {
    const leavesOut = isBackground || this.#buttons.leavesOut;
    this.#edit(() => this.#objects.click({ x, y, label: leavesOut ? 0 : 1 }));
  }

  /** Changes the objects, and runs the model only if one of them has no mask yet. */
  #edit(change: () => void): void {
    change();
    this.#hover.move(null);
    this.#objects.settle();
    this.#highlighted = null;
    this.#buttons.enable(this.#objects);
    this.stage.redraw();
    if (!this.#isEmpty) this.#showList();
    if (this.#isEmpty || this.#objects.unanswered !== null) this.#rerun();
    else void this.#paint();
  }

  /** Adds the masks of a grid of points as objects, each with its click. */
  async #addAll({ masks, width, height }: EverythingResult): Promise<void> {
    const picture = this.#picture;
    const answers: Answer[] = [];
    for (const mask of masks) answers.push({ mask, share: await maskShare(mask, width, height) });
    if (picture !== this.#picture || masks.length === 0) return;
    this.#edit(() => {
      const added = this.#objects.addAll(masks.map(({ point }) => point));
      for (const [at, answer] of answers.entries()) {
        const prompt = added[at];
        if (prompt) this.#objects.answer(prompt, answer);
      }
    });
  }

  #rename(name: string): void {
    const { chosen } = this.#objects;
    if (chosen !== null) this.#objects.rename(chosen, name);
    this.#showList();
  }

  #showList(): void {
    this.#list.show();
    const found = this.#list.rows().map(({ label, value }) => `${label} ${value}`);
    this.stage.describe(`${this.title}: ${found.join(", ") || "no object"}`);
  }

  protected override legend(): PictureLegend | null {
    const rows = this.#list.rows();
    return rows.length > 0 ? { rows } : null;
  }

  async #paint(): Promise<void> {
    if (this.#last !== null) await this.#layer.paint(this.#last, this.#highlighted);
  }

  async #saveCutout(): Promise<void> {
    const { chosen, all } = this.#objects;
    const answer = chosen && this.#objects.answerOf(chosen);
    if (!chosen || !answer || !this.#last || !this.#picture) return;
    await saveCutout(this.#last, answer.mask, this.#picture, all.indexOf(chosen) + 1);
  }

  #saveCoco(): void {
    if (this.#last === null) return;
    const names = this.#objects.answered.map((each) => this.#objects.nameOf(each));
    void saveCoco(this.#last, this.#objects.masks, names, this.#fileName);
  }
}

function bestOf(result: Result | null): ObjectMask | null {
  return result?.kind === "mask-generation" ? (result.masks[result.best] ?? null) : null;
}

export const drawing: ResultDrawing = {
  kind: "mask-generation",
  takesPrompt: true,
  async draw(stage, result, _model, title) {
    const mask = bestOf(result);
    if (result.kind !== "mask-generation") return null;
    const { masks, width, height } = result;
    const words = mask === null ? "no mask" : `a mask of ${percent(await maskShare(mask, width, height))}`;
    stage.describe(`${title}: ${words}`);
    const size = paintedSize(result);
    const map = await maskMap(masks, result, size);
    const colors = objectColors(masks.map((_, id) => ({ id })));
    stage.showMap(map && (await new RegionBitmap().paint({ map, ...size }, colors, null)));
    return words;
  },
};
export const view: ViewModule = { kind: "mask-generation", create: () => new MaskGenerationView() };
