// The page of a model that takes pictures: pictures and camera frames in; what comes out is the outcome's to show.

import type { Model, Result, RunSource } from "../src/index.js";
import { FailureCard, isAbort } from "./failure.js";
import { FrameCanvas } from "./frame-canvas.js";
import { takePictures } from "./intake.js";
import { latest } from "./latest.js";
import { Live, type LiveFrame } from "./live.js";
import { LiveBadge } from "./live-badge.js";
import type { Outcome } from "./outcome.js";
import { decodePicture, fetchSample, type Picture } from "./picture.js";
import { type Sample, Samples } from "./samples.js";
import { setState, setStatus } from "./status.js";
import { ThresholdSliders } from "./thresholds.js";

export class PictureView {
  readonly failure = new FailureCard(() => setStatus(this.#model ? "ready" : "loading", "Ready"));
  readonly #outcome: Outcome;
  readonly #badge = new LiveBadge();
  readonly #frames = new FrameCanvas();
  readonly #thresholds = new ThresholdSliders(() => void this.#rerun());
  readonly #samples = new Samples((sample) => void this.#chooseSample(sample));
  readonly #live: Live;
  readonly #rerun = latest(() => this.#runPicture());
  #model: Model | null = null;
  #picture: Picture | null = null;
  /** Whether the result on show is that of the picture on the stage. */
  #answered = false;
  /** Tells the newest choice from one whose bytes arrive late. */
  #choice = 0;

  constructor(outcome: Outcome) {
    this.#outcome = outcome;
    this.#live = new Live({
      onStart: () => this.#startLive(),
      onFrame: (frame) => this.#runFrame(frame),
      onStop: () => this.#stopLive(),
      onFailure: (error) => this.failure.show(error),
    });
    outcome.onChange?.(() => void this.#rerun());
    takePictures((picture) => void this.#choosePicture(picture));
    const first = this.#samples.first();
    if (first) void this.#chooseSample(first);
  }

  setModel(model: Model | null, why: string): void {
    this.#model = model;
    this.#outcome.setModel(model, why);
    if (model === null) return;
    if (this.#live.on) setStatus("running", "Camera on");
    else void this.#rerun();
  }

  async #chooseSample(sample: Sample): Promise<void> {
    await this.#choose(sample.file, () => fetchSample(sample));
  }

  async #choosePicture(picture: Picture): Promise<void> {
    await this.#choose(null, async () => picture);
  }

  async #choose(sample: string | null, open: () => Promise<Picture>): Promise<void> {
    this.#live.stop();
    this.#choice += 1;
    const choice = this.#choice;
    this.#samples.mark(sample);
    this.failure.clear();
    try {
      const picture = await open();
      const shown = await decodePicture(picture);
      if (choice !== this.#choice) return;
      this.#picture = picture;
      this.#outcome.clear();
      this.#answered = false;
      this.#outcome.showPicture(shown, picture.title, picture);
      await this.#rerun();
    } catch (error) {
      if (choice === this.#choice) this.failure.show(error);
    }
  }

  async #runPicture(): Promise<void> {
    const picture = this.#picture;
    const model = this.#model;
    if (!picture || !model || this.#live.on) return;
    setState("running");
    // Most runs are over before anyone could read a word.
    const slow = setTimeout(() => this.#showSlow(), 250);
    try {
      const result = await this.#ask(model, picture.stack ?? picture.blob);
      if (picture !== this.#picture || model !== this.#model || this.#live.on) return;
      this.failure.clear();
      this.#answered = true;
      await this.#outcome.showResult(result, model, this.#thresholds);
      if (picture !== this.#picture || model !== this.#model || this.#live.on) return;
      setStatus("ready", "Ready");
    } catch (error) {
      if (model !== this.#model || isAbort(error)) return;
      this.#outcome.showNone("No result");
      this.failure.show(error);
    } finally {
      clearTimeout(slow);
    }
  }

  #ask(model: Model, source: RunSource): Promise<Result> {
    return model.run(source, { ...this.#thresholds.values(), ...this.#outcome.options?.() });
  }

  #showSlow(): void {
    setStatus("running", "Running");
    if (!this.#answered) this.#outcome.showNone("Looking");
  }

  #startLive(): void {
    this.#choice += 1;
    this.#picture = null;
    this.#samples.mark(null);
    this.failure.clear();
    this.#outcome.clear();
    this.#outcome.setQuiet(true);
    this.#badge.start();
    if (this.#model) setStatus("running", "Camera on");
  }

  async #runFrame(frame: LiveFrame): Promise<void> {
    const model = this.#model;
    try {
      const result = model && (await this.#ask(model, frame.bitmap));
      if (!this.#live.on) return frame.bitmap.close();
      this.#outcome.showPicture(this.#frames.paint(frame), "The camera");
      if (!result || model !== this.#model) return;
      await this.#outcome.showResult(result, model, this.#thresholds, this.#badge.tick());
    } catch (error) {
      frame.bitmap.close();
      if (model !== this.#model || isAbort(error)) return;
      this.#live.stop();
      this.failure.show(error);
    }
  }

  #stopLive(): void {
    this.#badge.stop();
    this.#outcome.setQuiet(false);
    if (this.#model) setStatus("ready", "Ready");
  }
}
