// Loads the model on the chosen backend, and shows which backend runs, and why.

import { reportText } from "../../src/api/report.js";
import type { Backend, Model, ModelInfo } from "../../src/index.js";
import { element, elements, make } from "../util/elements.js";
import { milliseconds } from "../util/format.js";
import { sentenceCase } from "../util/sentence-case.js";
import { copyOnClick } from "./clipboard.js";
import type { FailureCard } from "./failure-card.js";
import type { Load } from "./loader.js";
import { ProgressBar } from "./progress-bar.js";
import { setStatus } from "./status.js";

const backendNames: Record<Backend, string> = { webgpu: "WebGPU", wasm: "WASM" };

const precisions: Record<ModelInfo["precision"]["used"], string> = {
  fp32: "float32, as exported",
  fp16: "half precision",
  mixed: "half precision in part",
};

/** Called with every model, or with null and the reason. */
type OnModel = (model: Model | null, reason: string) => void;

export class EnginePanel {
  readonly #progress = new ProgressBar();
  readonly #radios = elements("input[name=backend]", HTMLInputElement);
  readonly #load: () => Promise<Load>;
  readonly #failure: FailureCard;
  readonly #onModel: OnModel;
  #attempt = new AbortController();
  readonly #report = element("copy-report", HTMLButtonElement);
  #model: Model | null = null;

  constructor(load: () => Promise<Load>, failure: FailureCard, onModel: OnModel) {
    this.#load = load;
    this.#failure = failure;
    this.#onModel = onModel;
    failure.report = (error) => this.#model?.report(error) ?? reportText(null, error);
    copyOnClick(this.#report, () => this.#model?.report() ?? "");
    for (const radio of this.#radios) radio.addEventListener("change", () => this.load());
  }

  /** Loads the model again; a current load is aborted. */
  async load(): Promise<void> {
    this.#attempt.abort();
    const attempt = new AbortController();
    this.#attempt = attempt;
    this.#failure.reset();
    this.#progress.start();
    await this.#unload();
    try {
      const model = await this.#open(attempt.signal);
      if (attempt.signal.aborted) return await model.dispose();
      this.#model = model;
      this.#progress.stop();
      this.#follow(model);
      setStatus("ready", "Ready");
      this.#onModel(model, "");
    } catch (error) {
      if (attempt.signal.aborted) return;
      this.#progress.stop();
      this.#onModel(null, "No model");
      this.#failure.showLasting(error, () => this.load());
    }
  }

  async #open(signal: AbortSignal): Promise<Model> {
    const load = await this.#load();
    const backend = this.#radios.find((radio) => radio.checked)?.value as "auto" | Backend;
    const onProgress = (progress: Parameters<ProgressBar["show"]>[0]) => {
      if (!signal.aborted) this.#progress.show(progress);
    };
    return load({ backend, signal, onProgress, offline: document.body.dataset.offline ?? true });
  }

  /** Shows the backend of the model, and updates it when it changes. */
  #follow(model: Model): void {
    showEngine(model);
    this.#report.hidden = false;
    model.addEventListener("change", () => {
      if (model === this.#model) showEngine(model);
    });
  }

  async #unload(): Promise<void> {
    const model = this.#model;
    this.#model = null;
    this.#report.hidden = true;
    this.#onModel(null, "Waiting for the model");
    element("backend-chip", HTMLElement).textContent = "";
    element("reason", HTMLElement).textContent = "";
    element("engine-facts", HTMLElement).replaceChildren();
    await model?.dispose();
  }
}

function showEngine(model: Model): void {
  element("backend-chip", HTMLElement).textContent = backendNames[model.backend];
  const warned = model.warnings.some(({ message }) => message.startsWith(model.reason));
  element("reason", HTMLElement).textContent = warned ? "" : sentenceCase(model.reason);
  const { engine, adapter, timings, preprocess, precision } = model.info();
  element("engine-facts", HTMLElement).replaceChildren();
  showFact("Graphics", adapter && adapterName(adapter));
  showFact("Build", `${engine.name} ${engine.version}, ${engine.build}`);
  showFact("Precision", precisions[precision.used] + (adapter ? `: ${precision.reason}` : ""));
  showFact(
    "Pictures",
    adapter && (preprocess.path === "gpu" ? "prepared on the GPU" : `on the CPU: ${preprocess.reason}`),
  );
  showFact("Threads", engine.threads > 1 ? String(engine.threads) : null);
  showFact("Loaded in", milliseconds(timings.total));
}

function adapterName({
  description,
  vendor,
  architecture,
  device,
}: NonNullable<ModelInfo["adapter"]>): string {
  return (
    description || [vendor, architecture, device].filter(Boolean).join(" ") || "not named by the browser"
  );
}

function showFact(name: string, value: string | null): void {
  if (value === null) return;
  const row = make("div");
  row.append(make("dt", "", name), make("dd", "", value));
  element("engine-facts", HTMLElement).append(row);
}
