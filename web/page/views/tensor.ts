// Shows a model whose outputs have no known meaning: draws one output as its shape suggests, and statistics of all.

import { pause } from "../../src/export/slices.js";
import type { Model, PictureSize, Result, TensorResult, Tensors } from "../../src/index.js";
import type { ImageInput, JoinedTensor } from "../../src/manifest/manifest.js";
import { DepthLegend } from "../drawing/depth-legend.js";
import { HoverReadout } from "../drawing/hover-readout.js";
import type { PictureLegend } from "../drawing/picture-legend.js";
import type { ResultDrawing } from "../drawing/result-drawing.js";
import type { StagePoint } from "../drawing/stage.js";
import type { ThresholdSliders } from "../input/threshold-sliders.js";
import { boxStyle } from "../outputs/boxes.js";
import { describeReading } from "../outputs/describe-reading.js";
import { type Drawing, drawOutput, valueAt } from "../outputs/drawing.js";
import { withJoined } from "../outputs/joined.js";
import { placementOf } from "../outputs/placement.js";
import { forms, type OutputReadings, type Reading, readOutput } from "../outputs/reading.js";
import { OutputList } from "../results/output-list.js";
import { ResultList } from "../results/result-list.js";
import { showStatistics } from "../results/statistics-table.js";
import { wrongTaskError } from "../shell/failure-card.js";
import { element, elements } from "../util/elements.js";
import { short } from "../util/format.js";
import { BaseView } from "./base-view.js";
import type { ViewModule } from "./task-view.js";

/** `outputs` are the result's outputs, and the tensors that they are joined from. */
interface Run {
  result: TensorResult;
  outputs: Tensors;
  input: ImageInput;
  title: string;
  key: string;
}

class TensorView extends BaseView {
  readonly #outputs = new OutputList(() => void this.#draw());
  readonly #rows = new ResultList((index) => this.highlight(index));
  readonly #legend = new DepthLegend();
  readonly #readout = new HoverReadout();
  readonly #layers = elements("input[name=layer]", HTMLInputElement);
  #run: Run | null = null;
  /** The newest run, also while another picture waits for its own. */
  #last: Run | null = null;
  /** The last run of the previous picture, to compare with. */
  #before: Run | null = null;
  #drawing: Drawing | null = null;
  #highlighted: number | null = null;
  /** Counts drawings, to drop one that finishes after a newer one started. */
  #drawingCount = 0;

  constructor() {
    super();
    for (const layer of this.#layers)
      layer.addEventListener("change", () => this.stage.hideMap(layer.value === "picture"));
  }

  protected override legend(): PictureLegend | null {
    const { boxes = [], rows = [], levels, map = null } = this.#drawing ?? {};
    if (boxes.length > 0 || (map !== null && !this.stage.showsMap)) return null;
    return levels ? this.#legend.toPictureLegend() : rows.length > 0 ? { rows } : null;
  }

  async showResult(
    result: Result,
    model: Model,
    _thresholds: ThresholdSliders,
    updateText = true,
  ): Promise<void> {
    const input = inputOf(result, model);
    if (result.kind !== "tensor" || input === null) throw wrongTaskError();
    if (this.#last?.key !== this.key) this.#before = this.#last;
    const run: Run = { result, outputs: result.outputs, input, title: this.title, key: this.key };
    this.#run = run;
    this.#last = run;
    this.showRun(result, updateText);
    const only = updateText ? null : (this.#outputs.drawn?.name ?? null);
    const outputs = await withJoined(result.outputs, joinedOf(model), only);
    if (this.#run !== run) return;
    run.outputs = outputs;
    if (updateText) {
      const readings = new Map<string, OutputReadings>();
      for (const [name, tensor] of Object.entries(outputs)) {
        readings.set(name, readOutput(tensor, input, outputs));
        await pause();
      }
      this.#outputs.update(outputs, readings);
    }
    await this.#draw(updateText);
    if (updateText) await showStatistics(result.outputs, null);
  }

  protected override showEmpty(reason: string): void {
    this.#rows.showNone(reason);
    element("statistics", HTMLElement).hidden = true;
  }

  clear(): void {
    this.#run = null;
    this.#drawingCount += 1;
    this.stage.clearDetections();
    this.#show(null);
  }

  /** Draws the current output. The previous drawing stays until this one is painted. */
  async #draw(updateText = true): Promise<void> {
    const { drawn } = this.#outputs;
    const shown = this.#shown();
    if (drawn === null || shown === null) return;
    this.#drawingCount += 1;
    const turn = this.#drawingCount;
    const stopped = () => turn !== this.#drawingCount;
    const other = this.#before?.outputs[drawn.name];
    const before = this.#before && other ? { title: this.#before.title, data: other.data } : null;
    const context = { before, outputs: shown.outputs };
    const drawing = await drawOutput(shown.tensor, drawn.reading, shown.placement, stopped, context);
    if (stopped() || drawing === null) return drawing?.map?.close();
    const text = `${this.title}: ${drawn.name} as ${describeReading(drawn.reading)[0]}`;
    void this.stage.showDetections(drawing.boxes ?? [], boxStyle, text);
    this.#show(drawing, updateText);
  }

  /** Returns the drawn output of the newest run. */
  #shown() {
    const { drawn } = this.#outputs;
    const tensor = drawn === null ? undefined : this.#run?.outputs[drawn.name];
    if (!this.#run || !drawn || !tensor) return null;
    const { result, outputs, input } = this.#run;
    return { tensor, outputs, reading: drawn.reading, placement: placementOf(result, input) };
  }

  #show(drawing: Drawing | null, updateText = true): void {
    const { map = null, rows = [], words = "", levels } = drawing ?? {};
    this.#drawing = drawing;
    this.#highlighted = null;
    this.stage.showMap(map);
    element("layers", HTMLElement).hidden = map === null;
    this.hover(null);
    if (!updateText) return;
    if (rows.length > 0) this.#rows.show(rows, words);
    else this.#rows.showNone(words);
    if (levels) this.#legend.show({ near: levels.high, far: levels.low, unit: "relative" });
    else this.#legend.hide();
  }

  protected override highlight(index: number | null): void {
    const lit = index ?? this.#rows.pinned;
    if (this.#highlighted === lit) return;
    this.#highlighted = lit;
    this.#rows.highlight(lit);
    const drawing = this.#drawing;
    if (drawing?.boxes) this.stage.highlight(lit);
    void drawing?.regions?.paint(lit).then((map) => {
      if (map !== null && drawing === this.#drawing) this.stage.showMap(map);
    });
  }

  protected override hover(point: StagePoint | null): void {
    const shown = this.#shown();
    const value = shown && point && valueAt(shown.tensor, shown.reading, shown.placement, point);
    const levels = this.#drawing?.levels;
    if (levels) {
      const scale = { near: levels.high, far: levels.low, unit: "relative" } as const;
      this.#legend.mark(scale, value ?? Number.NaN);
    }
    const words = levels ? short(value ?? 0) : `class ${value}`;
    this.#readout.show(point, value === null ? null : words);
  }
}

export const drawing: ResultDrawing = {
  kind: "tensor",
  async draw(stage, result, model, title) {
    const input = inputOf(result, model);
    if (result.kind !== "tensor" || input === null) return null;
    const outputs = await withJoined(result.outputs, joinedOf(model));
    const readings = Object.entries(outputs).map(([name, tensor]) => ({
      name,
      tensor,
      reading: readOutput(tensor, input, outputs).guess,
    }));
    const rank = ({ reading }: { reading: Reading }) => forms.indexOf(reading.form);
    const [best] = readings.sort((a, b) => rank(a) - rank(b));
    if (best === undefined) return null;
    const placement = placementOf(result, input);
    const drawn = await drawOutput(best.tensor, best.reading, placement, () => false, { outputs });
    const words = `${best.name} as ${describeReading(best.reading)[0]}`;
    stage.showMap(drawn?.map ?? null);
    await stage.showDetections(drawn?.boxes ?? [], boxStyle, `${title}: ${words}`);
    return words;
  },
};
export const view: ViewModule = { kind: "tensor", create: () => new TensorView() };

function joinedOf({ manifest: { task } }: Model): readonly JoinedTensor[] {
  return task.kind === "tensor" ? task.joined : [];
}

/** Returns the model's picture input at the size of a run; null if it has none. */
function inputOf(result: Result, model: Model): ImageInput | null {
  const first = model.manifest.inputs.find((each): each is ImageInput => each.kind === "image");
  return first === undefined ? null : atSize(first, result.size);
}

/** Returns the input with the shape for another picture size. */
function atSize(input: ImageInput, [width, height]: PictureSize): ImageInput {
  const [batch = 1, second = 3, , fourth = 3] = input.shape;
  const shape = input.layout === "nhwc" ? [batch, height, width, fourth] : [batch, second, height, width];
  return { ...input, shape };
}
