// The page of a model that takes pictures: runs it on chosen pictures and camera frames. The task's view shows the results.

import { closeResults } from "../../src/api/close-results.js";
import type {
  EverythingOptions,
  EverythingResult,
  Model,
  PartProgress,
  Result,
  RunOptions,
  RunSource,
} from "../../src/index.js";
import { type CameraFrame, CameraLoop, type CameraParts } from "../input/camera-loop.js";
import { FrameCanvas } from "../input/frame-canvas.js";
import { pickImages } from "../input/image-picker.js";
import { LiveBadge } from "../input/live-badge.js";
import { linkTo } from "../input/page-link.js";
import { decodePicture, fetchSample, type Picture } from "../input/picture.js";
import { RunSettings } from "../input/run-settings.js";
import { type Sample, Samples } from "../input/samples.js";
import { SceneCache } from "../input/scene-cache.js";
import { element, setIcon } from "../util/elements.js";
import { latestOnly } from "../util/latest-only.js";
import type { TaskView } from "../views/task-view.js";
import { FailureCard, isAbort } from "./failure-card.js";
import { ResultActions } from "./result-actions.js";
import { SlowRun } from "./slow-run.js";
import { setState, setStatus } from "./status.js";

export class ImagePage {
  readonly failure = new FailureCard(() => setStatus(this.#model ? "ready" : "loading", "Ready"));
  readonly #view: TaskView;
  readonly #badge = new LiveBadge();
  readonly #frames = new FrameCanvas();
  readonly #settings = new RunSettings(
    () => void this.#runAgain(),
    () => {
      this.#abortRun();
      void this.#rerun();
    },
  );
  readonly #samples = new Samples((sample) => void this.#chooseSample(sample));
  readonly #actions = new ResultActions({
    picture: () => this.#view.toBlob(),
    link: () => this.#link(),
    fullResult: (result) => this.#view.fullResult?.(result) ?? result,
  });
  readonly #camera: CameraLoop;
  readonly #rerun = latestOnly(() => this.#runPicture());
  #model: Model | null = null;
  readonly #scene = new SceneCache();
  #picture: Picture | null = null;
  /** Resolves when the last frame of a stopped camera has become the picture. */
  #keeping: Promise<void> = Promise.resolve();
  /** Its title, if it is a sample. */
  #sample: string | null = null;
  /** Whether the picture on the stage has a result. */
  #hasResult = false;
  /** Aborts the current run when the picture or the settings change. */
  #running = new AbortController();
  readonly #slow = new SlowRun();
  /** Counts picture choices, to drop a picture that arrives after a newer choice. */
  #choice = 0;

  constructor(view: TaskView) {
    this.#view = view;
    this.#camera = new CameraLoop(cameraParts(), {
      onStart: () => this.#startLive(),
      onFrame: (frame) => this.#runFrame(frame),
      onStop: () => this.#stopLive(),
      onFailure: (error) => this.failure.show(error),
    });
    view.onChange?.(() => void this.#runAgain());
    view.setIdleRun?.((options) => this.#runIdle(options));
    view.setFindEverything?.((options, looking) => this.#findEverything(options, looking));
    pickImages((picture) => void this.#choosePicture(picture));
    const first = this.#samples.first();
    if (first) void this.#chooseSample(first);
  }

  setModel(model: Model | null, reason: string): void {
    this.#model = model;
    this.#view.setModel(model, reason);
    if (model === null) return;
    if (this.#camera.on) setStatus("running", "Camera on");
    else void this.#rerun();
  }

  /** Runs the model again; a slow current run is aborted first. */
  #runAgain(): Promise<void> {
    if (this.#slow.isSlow) this.#abortRun();
    return this.#rerun();
  }

  #abortRun(): void {
    this.#running.abort();
    this.#running = new AbortController();
  }

  async #chooseSample(sample: Sample): Promise<void> {
    await this.#choose(sample, () => fetchSample(sample));
  }

  async #choosePicture(picture: Picture): Promise<void> {
    await this.#choose(null, async () => picture);
  }

  /** If the picture cannot be read, the one before it stays, with its run and its result. */
  async #choose(sample: Sample | null, open: () => Promise<Picture>): Promise<void> {
    this.#choice += 1;
    const choice = this.#choice;
    this.#camera.stop();
    this.failure.clear();
    try {
      const picture = await open();
      const shown = await decodePicture(picture);
      if (choice !== this.#choice) return;
      this.#abortRun();
      this.#actions.show(null);
      this.#samples.mark(sample?.file ?? null);
      this.#sample = sample?.title ?? null;
      this.#picture = { ...picture, blob: shown.blob };
      this.#view.clear();
      this.#hasResult = false;
      this.#settings.showPicture(shown.size);
      this.#view.showPicture(shown, picture.title, picture);
      await this.#rerun();
    } catch (error) {
      if (choice === this.#choice) this.failure.show(error);
    }
  }

  async #runPicture(): Promise<void> {
    await this.#keeping;
    const picture = this.#picture;
    const model = this.#model;
    if (!picture || !model || this.#camera.on) return;
    setState("running");
    this.#slow.start(() => this.#showSlow());
    try {
      await model.reset();
      const result = await this.#runOnPicture(model, picture);
      if (picture !== this.#picture || model !== this.#model || this.#camera.on) return closeResults(result);
      this.failure.clear();
      this.#hasResult = true;
      this.#settings.showResult(result);
      await this.#view.showResult(result, model, this.#settings.thresholds);
      if (picture !== this.#picture || model !== this.#model || this.#camera.on) return;
      this.#actions.show(result);
      setStatus("ready", "Ready");
    } catch (error) {
      if (model !== this.#model || isAbort(error)) return;
      this.#actions.show(null);
      this.#view.showNone("No result");
      this.failure.show(error);
    } finally {
      this.#slow.end();
      this.#settings.showEnd();
    }
  }

  /** Runs the model on the picture; if the view reuses the scene, only the last stage. */
  #runOnPicture(model: Model, { stack, blob }: Picture): Promise<Result> {
    const isAskedOften = this.#view.reusesScene === true && model.manifest.stages !== undefined;
    if (!isAskedOften) return this.#runModel(model, stack ?? blob);
    return this.#scene.run(model, blob, this.#view.options?.() ?? {});
  }

  #runModel(model: Model, source: RunSource): Promise<Result> {
    const chosen = this.#settings.options();
    const isInParts = chosen.slices !== undefined || looksAtCrops(model);
    return model.run(source, {
      ...chosen,
      ...this.#view.options?.(),
      ...(isInParts ? { onProgress: (progress) => this.#showProgress(progress) } : {}),
      signal: this.#running.signal,
    });
  }

  /** Runs the last stage while the page is idle. Returns null during another run, and if it fails. */
  async #runIdle(options: RunOptions): Promise<Result | null> {
    const picture = this.#picture;
    const model = this.#model;
    const isIdle = this.#hasResult && !this.#camera.on && document.body.dataset.state === "ready";
    if (!picture || !model || !isIdle) return null;
    const result = await this.#scene.run(model, picture.blob, options).catch(() => null);
    return picture === this.#picture ? result : null;
  }

  async #findEverything(
    options: EverythingOptions,
    looking: (on: boolean) => void,
  ): Promise<EverythingResult | null> {
    const picture = this.#picture;
    const model = this.#model;
    if (!picture || !model || this.#camera.on) return null;
    const look = this.#scene.of(model, picture.blob);
    const { isLooking: waits } = this.#scene;
    if (waits) looking(true);
    const scene = await look;
    if (picture !== this.#picture) return null;
    if (waits) looking(false);
    const found = await scene.everything(options);
    return picture === this.#picture ? found : null;
  }

  #link(): string {
    return linkTo({
      ...this.#settings.link(),
      ...this.#view.link?.(),
      ...(this.#sample === null ? {} : { sample: this.#sample }),
    });
  }

  #showSlow(): void {
    this.#settings.showSlow();
    setStatus("running", this.#scene.isLooking ? "Encoding the picture" : "Running");
    if (!this.#hasResult) this.#view.showNone("Looking");
  }

  #showProgress(progress: PartProgress): void {
    if (this.#camera.on) return;
    this.#slow.showProgress(progress);
    this.#settings.showProgress(progress);
  }

  #startLive(): void {
    this.#choice += 1;
    this.#abortRun();
    this.#picture = null;
    this.#sample = null;
    this.#actions.show(null);
    this.#samples.mark(null);
    this.failure.clear();
    this.#settings.showPicture(null);
    this.#view.clear();
    this.#view.setQuiet(true);
    this.#frames.clear();
    void this.#model?.reset();
    this.#scene.release();
    this.#badge.start();
    if (this.#model) setStatus("running", "Camera on");
  }

  async #runFrame(frame: CameraFrame): Promise<void> {
    const model = this.#model;
    try {
      const result = model && (await this.#runModel(model, frame.bitmap));
      if (!this.#camera.on) {
        frame.bitmap.close();
        return closeResults(result);
      }
      this.#view.showPicture(this.#frames.paint(frame), "The camera");
      if (!result || model !== this.#model) return closeResults(result);
      this.#settings.showResult(result);
      await this.#view.showResult(result, model, this.#settings.thresholds, this.#badge.tick());
    } catch (error) {
      frame.bitmap.close();
      if (model !== this.#model || isAbort(error)) return;
      this.#camera.stop();
      this.failure.show(error);
    }
  }

  #stopLive(): void {
    this.#badge.stop();
    this.#view.setQuiet(false);
    if (this.#model) setStatus("ready", "Ready");
    this.#keeping = this.#keepFrame();
  }

  /** Keeps the last camera frame on the stage as the picture, so that settings apply to it. */
  async #keepFrame(): Promise<void> {
    const choice = this.#choice;
    if (this.#picture !== null) return;
    const blob = await this.#frames.toBlob();
    if (blob === null || choice !== this.#choice || this.#picture !== null || this.#camera.on) return;
    this.#picture = { blob, title: "The camera", fileName: "camera.png" };
  }
}

function looksAtCrops({ manifest: { stages } }: Model): boolean {
  return stages?.at(-1)?.inputs.some(({ kind }) => kind === "crop") ?? false;
}

function cameraParts(): CameraParts {
  return {
    video: element("video", HTMLVideoElement),
    webcam: element("webcam", HTMLButtonElement),
    flip: element("flip", HTMLButtonElement),
    paint(on) {
      element("webcam-text", HTMLElement).textContent = on ? "Stop camera" : "Use camera";
      setIcon(element("webcam-icon", SVGUseElement), on ? "stop" : "camera");
    },
  };
}
