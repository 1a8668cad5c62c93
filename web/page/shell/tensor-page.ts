// The page of a model with an unknown task: runs the golden input and shows statistics of the outputs.

import type { Model } from "../../src/index.js";
import { goldenTensors } from "../results/golden-tensors.js";
import { showStatistics } from "../results/statistics-table.js";
import { element } from "../util/elements.js";
import { milliseconds } from "../util/format.js";
import { FailureCard, PageError } from "./failure-card.js";
import { StateRow } from "./state-row.js";
import { setStatus } from "./status.js";
import { ModelWarnings } from "./warnings.js";

export class TensorPage {
  readonly failure = new FailureCard(() => setStatus("ready", "Ready"));
  readonly #button = element("golden", HTMLButtonElement);
  readonly #state = StateRow.find();
  readonly #warnings = new ModelWarnings();
  #model: Model | null = null;

  constructor() {
    this.#button.addEventListener("click", () => void this.#run());
  }

  setModel(model: Model | null, _why: string): void {
    this.#model = model;
    this.#button.disabled = model === null;
    this.#state?.setModel(model);
    this.#warnings.setModel(model);
  }

  async #run(): Promise<void> {
    const model = this.#model;
    if (!model) return;
    this.#button.disabled = true;
    this.failure.clear();
    setStatus("running", "Running");
    try {
      await runGolden(model);
      this.#state?.show();
      if (model === this.#model) setStatus("ready", "Ready");
    } catch (error) {
      if (model === this.#model) this.failure.show(error);
    } finally {
      this.#button.disabled = this.#model === null;
    }
  }
}

async function runGolden(model: Model): Promise<void> {
  const { golden, inputs, outputs } = model.manifest;
  if (!golden)
    throw new PageError(
      "no-golden",
      "This bundle has no recorded input.",
      "Pack the model with sample inputs.",
    );
  const base = new URL("./manifest.json", document.baseURI);
  const feeds = await goldenTensors(golden.inputs, inputs, base);
  const recorded = await goldenTensors(golden.outputs, outputs, base);
  const start = performance.now();
  const answer = await model.runTensors(feeds);
  const total = performance.now() - start;
  element("timing-total", HTMLElement).textContent = milliseconds(total);
  // The recorded outputs are from a run with a zero state.
  const comparable = model.state === null || model.state.steps === 1;
  await showStatistics(answer, comparable ? recorded : {});
}
