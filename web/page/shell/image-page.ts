// The page of a model that takes pictures: runs it on chosen pictures and camera frames. The task's view shows the results.

import { closeResults } from "../../src/api/close-results.js";
import type { Model, PartProgress, Result, RunSource, TileResult } from "../../src/index.js";
import { type CameraFrame, CameraLoop, cameraParts } from "../input/camera-loop.js";
import { FrameCanvas } from "../input/frame-canvas.js";
import { pickImages } from "../input/image-picker.js";
import { LiveBadge } from "../input/live-badge.js";
import { linkTo } from "../input/page-link.js";
import { type ChosenPicture, decodePicture, fetchSample, type Picture } from "../input/picture.js";
import { RunSettings } from "../input/run-settings.js";
import { type Sample, Samples } from "../input/samples.js";
import { element } from "../util/elements.js";
import { latestOnly } from "../util/latest-only.js";
import type { TaskView } from "../views/task-view.js";
import { FailureCard, isAbort } from "./failure-card.js";
import { ResultActions } from "./result-actions.js";
import { type PictureAndModel, SceneRuns } from "./scene-runs.js";
import { SlowRun } from "./slow-run.js";
import { setState, setStatus } from "./status.js";

export class ImagePage {
  readonly failure = new FailureCard(() => this.#showStatus());
  readonly #view: TaskView;
  readonly #badge = new LiveBadge();
  readonly #frames = new FrameCanvas();
  readonly #settings = new RunSettings(
    () => void this.#runAgain(),
    () => {
      this.#abortRun();
      void this.#runAgain();
    },
  );
  readonly #samples = new Samples((sample) => void this.#choose(sample, () => fetchSample(sample)));
  readonly #actions = new ResultActions({
    picture: () => this.#view.toBlob(),
    link: () => this.#link(),
    fullResult: (result) => this.#view.fullResult?.(result) ?? result,
  });
  readonly #camera: CameraLoop;
  readonly #rerun = latestOnly(() => this.#runPicture());
  #model: Model | null = null;
  readonly #scene = new SceneRuns(() => this.#now());
  /** The picture to run; null while the camera is on. */
  #picture: Picture | null = null;
  /** The chosen picture, until the first frame of the camera replaces it on the stage. */
  #chosen: ChosenPicture | null = null;
  /** Resolves when the last frame of a stopped camera has become the picture. */
  #keeping: Promise<void> = Promise.resolve();
  /** Whether the picture on the stage has a result, or tiles of one. */
  #hasResult = false;
  #isRunning = false;
  /** Whether a picture is fetched or decoded. */
  #isOpening = false;
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
    view.setIdleRun?.(async (options) => (this.#isIdle ? this.#scene.runIdle(options) : null));
    view.setFindEverything?.((options, looking) => this.#scene.everything(options, looking));
    pickImages((picture) => void this.#choose(null, async () => picture));
    const first = this.#samples.first();
    if (first) void this.#choose(first, () => fetchSample(first));
  }

  setModel(model: Model | null, reason: string): void {
    this.#model = model;
    this.#view.setModel(model, reason);
    if (model === null) this.#showNoResult();
    else if (this.#camera.on) this.#showStatus();
    else void this.#rerun();
  }

  /** Null without a picture or a model, and while the camera is on. */
  #now(): PictureAndModel | null {
    const picture = this.#picture;
    const model = this.#model;
    return picture && model && !this.#camera.on ? { picture, model } : null;
  }

  get #isIdle(): boolean {
    return this.#hasResult && document.body.dataset.state === "ready";
  }

  #showStatus(): void {
    if (this.failure.isLasting) return;
    if (this.#model === null) setStatus("loading", element("progress-stage", HTMLElement).textContent ?? "");
    else if (this.#camera.on) setStatus("running", "Camera on");
    else if (this.#isRunning) setStatus("running", "Running");
    else setStatus("ready", "Ready");
  }

  #showNoResult(): void {
    this.#hasResult = false;
    this.#actions.show(null);
  }

  /** Runs the model again after a change of the settings; a slow current run is aborted first. */
  #runAgain(): Promise<void> {
    this.failure.clear();
    if (this.#slow.isSlow) this.#abortRun();
    return this.#rerun();
  }

  #abortRun(): void {
    this.#running.abort();
    this.#running = new AbortController();
  }

  /** If the picture cannot be read, the one before it stays, with its run and its result. */
  async #choose(sample: Sample | null, open: () => Promise<Picture>): Promise<void> {
    this.#choice += 1;
    const choice = this.#choice;
    this.#isOpening = true;
    this.#camera.stop();
    this.failure.clear();
    try {
      const picture = await open();
      const shown = await decodePicture(picture);
      if (choice !== this.#choice) return;
      this.#isOpening = false;
      this.#show({ picture, shown, sample });
      await this.#rerun();
    } catch (error) {
      if (choice !== this.#choice) return;
      this.#isOpening = false;
      this.failure.show(error);
      if (!this.#hasResult && !this.#isRunning) await this.#rerun();
    }
  }

  #show(chosen: ChosenPicture): void {
    const { picture, shown, sample } = chosen;
    this.#abortRun();
    this.#showNoResult();
    this.#samples.mark(sample?.file ?? null);
    this.#chosen = chosen;
    this.#picture = { ...picture, blob: shown.blob };
    this.#view.clear();
    this.#settings.showPicture(shown.size);
    this.#view.showPicture(shown, picture.title, picture);
  }

  async #runPicture(): Promise<void> {
    await this.#keeping;
    const now = this.#now();
    if (now === null) return;
    const { picture, model } = now;
    this.#isRunning = true;
    setState("running");
    this.#slow.start(() => {
      if (model === this.#model) this.#showSlow();
    });
    try {
      await model.reset();
      const result = await this.#runOnPicture(model, picture);
      if (picture !== this.#picture || model !== this.#model || this.#camera.on) return closeResults(result);
      this.#hasResult = true;
      this.#settings.showResult(result);
      await this.#view.showResult(result, model, this.#settings.thresholds);
      if (picture !== this.#picture || model !== this.#model || this.#camera.on) return;
      this.#actions.show(result);
      this.#isRunning = false;
      this.#showStatus();
    } catch (error) {
      if (model !== this.#model || isAbort(error)) return;
      this.#showNoResult();
      this.#view.showNone("No result");
      this.failure.show(error);
    } finally {
      this.#isRunning = false;
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
    const ofView = this.#view.options?.() ?? {};
    const { onTile } = ofView;
    const { signal } = this.#running;
    const showTile = (tile: TileResult): void => {
      if (tile.index + 1 < tile.count && !signal.aborted) this.#replaceResult();
      onTile?.(tile);
    };
    return model.run(source, {
      ...chosen,
      ...ofView,
      ...(onTile ? { onTile: showTile } : {}),
      ...(isInParts ? { onProgress: (progress) => this.#showProgress(progress) } : {}),
      signal,
    });
  }

  /** Tiles replace the last result, which can then no longer be saved. */
  #replaceResult(): void {
    this.#actions.show(null);
    this.#hasResult = true;
  }

  #link(): string {
    return linkTo({
      ...this.#settings.link(),
      ...this.#view.link?.(),
      ...(this.#chosen?.sample ? { sample: this.#chosen.sample.title } : {}),
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
    this.#isOpening = false;
    this.#abortRun();
    this.#picture = null;
    this.#showNoResult();
    this.#samples.mark(null);
    this.failure.clear();
    this.#settings.showPicture(null);
    this.#view.clear();
    this.#view.setQuiet(true);
    this.#frames.clear();
    void this.#model?.reset();
    this.#scene.release();
    this.#badge.start();
    this.#showStatus();
  }

  async #runFrame(frame: CameraFrame): Promise<void> {
    const model = this.#model;
    try {
      const result = model && (await this.#runModel(model, frame.bitmap));
      if (!this.#camera.on) {
        frame.bitmap.close();
        return closeResults(result);
      }
      this.#chosen = null;
      this.#view.showPicture(this.#frames.paint(frame), "The camera");
      if (!result || model !== this.#model) return closeResults(result);
      this.#settings.showResult(result);
      this.#hasResult = true;
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
    this.#keeping = this.#keepFrame();
    if (this.#isOpening || this.#model === null) this.#showStatus();
    else void this.#rerun();
  }

  /** Keeps the last camera frame on the stage as the picture; the chosen picture if there was no frame yet. */
  async #keepFrame(): Promise<void> {
    const blob = await this.#frames.toBlob();
    if (this.#picture !== null || this.#camera.on) return;
    if (blob !== null) this.#picture = { blob, title: "The camera", fileName: "camera.png" };
    else if (this.#chosen !== null) this.#show(this.#chosen);
    else this.#showStatus();
  }
}

function looksAtCrops({ manifest: { stages } }: Model): boolean {
  return stages?.at(-1)?.inputs.some(({ kind }) => kind === "crop") ?? false;
}
