// The custom element <web-model>: runs a bundle's model on a picture or the camera, and draws the result.

import type { LoadedModel, WebModelElement } from "../../integrations/element/types.js";
import { closeResults } from "../../src/api/close-results.js";
import type { ImageSource, LoadOptions, Model, Result, RunOptions } from "../../src/index.js";
import { finalTask } from "../../src/manifest/stages.js";
import { Stage } from "../drawing/stage.js";
import { type CameraFrame, CameraLoop } from "../input/camera-loop.js";
import { FrameCanvas } from "../input/frame-canvas.js";
import { decodePicture } from "../input/picture.js";
import { SceneCache } from "../input/scene-cache.js";
import { isAbort, PageError } from "../shell/failure-card.js";
import { importLoader } from "../shell/loader.js";
import { fetchPicture } from "../util/fetch-picture.js";
import { latestOnly } from "../util/latest-only.js";
import { drawingOf } from "../views/registry.js";
import { SecondPicture } from "./second-picture.js";
import { StagePrompt } from "./stage-prompt.js";
import { buildView } from "./view.js";

export class WebModel extends HTMLElement implements WebModelElement {
  static readonly observedAttributes = ["src", "backend", "picture", "reference", "options"];
  readonly #view = buildView(this, (file) => void this.show(file, file.name));
  readonly #stage = new Stage(this.#view.stage, (index) => this.#stage.highlight(index));
  readonly #frames = new FrameCanvas();
  readonly #rerun = latestOnly(() => this.#runPicture());
  readonly #camera = new CameraLoop(this.#view.camera, {
    onStart: () => {
      void this.#model?.reset();
      this.#clear();
    },
    onFrame: (frame) => this.#runFrame(frame),
    onStop: () => {},
    onFailure: (error) => this.#fail(error),
  });
  readonly #scene = new SceneCache();
  readonly #secondPicture = new SecondPicture();
  /** The visitor's clicks and box; null until a model that takes prompts is loaded. */
  #prompt: StagePrompt | null = null;
  #model: Model | null = null;
  #options: object = {};
  #size = { width: 1, height: 1 };
  #picture: { blob: Blob; title: string } | null = null;
  /** Counts the pictures and camera starts, to drop a picture that arrives after a newer choice. */
  #choice = 0;
  /** The last result; its pictures are closed with the next one. */
  #result: Result | null = null;
  /** Aborted when the model of `src` is replaced. A model that the page sets is not disposed of here. */
  #loading = new AbortController();

  get model(): LoadedModel | null {
    return this.#model;
  }

  set model(model: LoadedModel | null) {
    this.#loading.abort();
    this.#use(model as Model | null);
  }

  get options(): object {
    return this.#options;
  }

  /** Null and undefined, which frameworks set for a property without a value, are no options. */
  set options(options: object | null | undefined) {
    this.#options = options ?? {};
    // The latest prompt applies: one in the options replaces the visitor's clicks.
    if ("points" in this.#options || "box" in this.#options) this.#prompt?.clear();
    void this.#rerun();
  }

  get reference(): ImageSource | null {
    return this.#secondPicture.source;
  }

  set reference(reference: ImageSource | null) {
    this.#secondPicture.source = reference;
    void this.#rerun();
  }

  async show(blob: Blob, title = "The picture"): Promise<void> {
    this.#camera.stop();
    this.#clear();
    const picture = { blob, title };
    this.#picture = picture;
    try {
      const shown = await decodePicture(picture);
      if (picture !== this.#picture) return;
      picture.blob = shown.blob;
      this.#showPicture(shown);
      await this.#rerun();
    } catch (error) {
      if (picture === this.#picture) this.#fail(error);
    }
  }

  connectedCallback(): void {
    // A property that was set before the element was defined shadows its accessor.
    const { model, options, reference } = this;
    for (const [name, value] of Object.entries({ model, options, reference })) {
      if (Object.hasOwn(this, name) && delete this[name as "model" | "options" | "reference"])
        Object.assign(this, { [name]: value });
    }
    if (this.#model === null) this.#reload();
  }

  /** Waits, because an element that is only moved is connected again immediately. */
  disconnectedCallback(): void {
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#camera.stop();
      if (!this.#loading.signal.aborted) this.model = null;
    });
  }

  attributeChangedCallback(name: string, _before: string | null, value: string | null): void {
    if (name === "options") this.#readOptions(value ?? "{}");
    else if (name === "picture") void this.#fetchPicture(value ?? "");
    else if (name === "reference") void this.#rerun();
    else if (this.isConnected) this.#reload();
  }

  #readOptions(json: string): void {
    try {
      this.options = JSON.parse(json);
    } catch {
      const fix = 'Write them as JSON, such as {"confidence": 0.4}.';
      this.#fail(new PageError("invalid-option", `The options are not JSON: ${json}.`, fix));
    }
  }

  /** Loads the model of `src`. Several calls in one task, one per attribute, load it once. */
  #reload(): void {
    this.model = null;
    const loading = new AbortController();
    this.#loading = loading;
    queueMicrotask(() => loading.signal.aborted || void this.#load(loading.signal));
  }

  async #load(signal: AbortSignal): Promise<void> {
    const [src, backend] = ["src", "backend"].map((name) => this.getAttribute(name));
    if (!src) return;
    try {
      const load = await importLoader(src);
      const chosen = backend ? ({ backend } as LoadOptions) : {};
      const model = await load({ ...chosen, signal, onProgress: (progress) => this.#view.load(progress) });
      signal.addEventListener("abort", () => void model.dispose());
      if (signal.aborted) await model.dispose();
      else this.#use(model);
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  #use(model: Model | null): void {
    this.#scene.release();
    this.#model = model;
    this.#view.load(null);
    if (model === null) return;
    if (this.#takesPrompt(model)) this.#takeClicks();
    this.#dispatch("ready", model);
    void this.#rerun();
  }

  #takeClicks(): void {
    if (this.#prompt !== null) return;
    this.#prompt = new StagePrompt(this.#stage, this.#view.stage.stage, () => void this.#rerun());
    this.#prompt.setSize(this.#size);
  }

  #takesPrompt({ manifest }: Model): boolean {
    return manifest.stages !== undefined && drawingOf(finalTask(manifest))?.takesPrompt === true;
  }

  /** Shows the picture at an address, unless another one is chosen meanwhile. Without an address nothing changes. */
  async #fetchPicture(address: string): Promise<void> {
    this.#choice += 1;
    const choice = this.#choice;
    if (address === "") return;
    try {
      const blob = await fetchPicture(address);
      if (choice === this.#choice) await this.show(blob, address.split("/").at(-1));
    } catch (error) {
      if (choice === this.#choice) this.#fail(error);
    }
  }

  async #runPicture(): Promise<void> {
    const [model, picture] = [this.#model, this.#picture];
    if (model === null || picture === null || this.#camera.on) return;
    try {
      await model.reset();
      await this.#run(model, picture.blob, picture.title, () => picture === this.#picture);
    } catch (error) {
      if (model === this.#model) this.#fail(error);
    }
  }

  async #runFrame(frame: CameraFrame): Promise<void> {
    const show = () => {
      if (this.#camera.on) this.#showPicture(this.#frames.paint(frame));
      return this.#camera.on;
    };
    const model = this.#model;
    try {
      if (model === null) show();
      else await this.#run(model, frame.bitmap, "The camera", show);
    } catch (error) {
      if (model !== this.#model) return;
      // The page's `signal` stays aborted, so no later frame would run either.
      if (isAbort(error)) this.#camera.stop();
      else throw error;
    } finally {
      frame.bitmap.close();
    }
  }

  /** Runs the model and shows the result, unless `isCurrent` returns false by then. */
  async #run(model: Model, source: ImageSource, title: string, isCurrent: () => boolean): Promise<void> {
    const drawing = drawingOf(finalTask(model.manifest));
    const reference = await this.#secondPicture.read(this);
    const second = reference === null ? {} : { reference };
    const result = await this.#ask(model, source, { ...drawing?.options, ...second, ...this.#options });
    if (model !== this.#model || !isCurrent()) return closeResults(result);
    if (result === null) return this.#stage.showMap(null);
    this.#view.say((await drawing?.draw(this.#stage, result, model, title)) ?? "");
    this.#keep(result);
    this.#dispatch("result", result);
  }

  #keep(result: Result | null): void {
    closeResults(this.#result);
    this.#result = result;
  }

  /** Runs the model. Without a prompt, runs only the first stage, so that the first click is fast, and returns null. */
  async #ask(model: Model, source: ImageSource, options: RunOptions): Promise<Result | null> {
    if (!this.#takesPrompt(model)) return model.run(source, options);
    const promptedOptions = { ...options, ...this.#prompt?.options() };
    const isEmpty = promptedOptions.points === undefined && promptedOptions.box === undefined;
    if (!(source instanceof Blob)) return isEmpty ? null : model.run(source, promptedOptions);
    const scenePromise = this.#scene.of(model, source);
    if (this.#scene.isLooking) this.#view.say("Encoding the picture");
    const scene = await scenePromise;
    if (!isEmpty) return scene.run(promptedOptions);
    this.#view.say("Click an object, or drag a box around it");
    return null;
  }

  #showPicture(shown: Parameters<Stage["showPicture"]>[0]): void {
    this.#view.hint.hidden = true;
    this.#stage.showPicture(shown);
    this.#size = shown.size;
    this.#prompt?.setSize(shown.size);
  }

  #clear(): void {
    this.#choice += 1;
    this.#keep(null);
    this.#prompt?.clear();
    this.#picture = null;
    this.#stage.clearDetections();
    this.#stage.showMap(null);
    this.#view.say("");
  }

  #fail(error: unknown): void {
    if (isAbort(error)) return;
    this.#view.fail(error);
    this.#dispatch("error", error);
  }

  #dispatch(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
