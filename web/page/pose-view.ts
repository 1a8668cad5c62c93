// The page of a model that finds people: pictures and camera frames in, skeletons out.

import type { Model, PoseResult } from "../src/index.js";
import { FailureCard, isAbort, PageError } from "./failure.js";
import { takePictures } from "./intake.js";
import { latest } from "./latest.js";
import { Live, type LiveFrame } from "./live.js";
import { LiveBadge } from "./live-badge.js";
import { Outcome } from "./outcome.js";
import { decodePicture, fetchPicture, type Picture } from "./picture.js";
import { type Sample, Samples } from "./samples.js";
import { setStatus } from "./status.js";
import { ThresholdSliders } from "./thresholds.js";

export class PoseView {
  readonly failure = new FailureCard(() => setStatus(this.#model ? "ready" : "loading", "Ready"));
  readonly #outcome = new Outcome();
  readonly #badge = new LiveBadge();
  readonly #thresholds = new ThresholdSliders(() => void this.#rerun());
  readonly #samples = new Samples((sample) => void this.#chooseSample(sample));
  readonly #live: Live;
  readonly #rerun = latest(() => this.#runPicture());
  #model: Model | null = null;
  #picture: Picture | null = null;
  /** Tells the newest choice from one whose bytes arrive late. */
  #choice = 0;

  constructor() {
    this.#live = new Live({
      onStart: () => this.#startLive(),
      onFrame: (frame) => this.#runFrame(frame),
      onStop: () => this.#stopLive(),
      onFailure: (error) => this.failure.show(error, null),
    });
    takePictures((picture) => void this.#choosePicture(picture));
    const first = this.#samples.first();
    if (first) void this.#chooseSample(first);
  }

  setModel(model: Model | null): void {
    this.#model = model;
    this.#outcome.setModel(model);
    if (model === null) return;
    if (this.#live.on) setStatus("running", "Camera on");
    else void this.#rerun();
  }

  async #chooseSample({ file, title }: Sample): Promise<void> {
    await this.#choose(file, () => fetchPicture(file, title));
  }

  async #choosePicture(picture: Picture): Promise<void> {
    await this.#choose(null, async () => picture);
  }

  async #choose(sample: string | null, open: () => Promise<Picture>): Promise<void> {
    this.#live.stop();
    this.#choice += 1;
    const choice = this.#choice;
    this.#samples.mark(sample);
    try {
      const picture = await open();
      const shown = await decodePicture(picture);
      if (choice !== this.#choice) return shown.bitmap.close();
      this.#picture = picture;
      this.#outcome.clear();
      this.#outcome.showPicture(shown, picture.title);
      await this.#rerun();
    } catch (error) {
      if (choice === this.#choice) this.failure.show(error, null);
    }
  }

  async #runPicture(): Promise<void> {
    const picture = this.#picture;
    const model = this.#model;
    if (!picture || !model || this.#live.on) return;
    setStatus("running", "Running");
    try {
      const result = poseResult(await model.run(picture.blob, this.#thresholds.values()));
      if (picture !== this.#picture || model !== this.#model || this.#live.on) return;
      this.failure.clear();
      this.#outcome.showResult(result, model, this.#thresholds);
      setStatus("ready", "Ready");
    } catch (error) {
      if (model === this.#model && !isAbort(error)) this.failure.show(error, null);
    }
  }

  #startLive(): void {
    this.#choice += 1;
    this.#picture = null;
    this.#samples.mark(null);
    this.failure.clear();
    this.#outcome.clear();
    this.#badge.start();
    if (this.#model) setStatus("running", "Camera on");
  }

  async #runFrame({ bitmap, mirrored }: LiveFrame): Promise<void> {
    const size = { width: bitmap.width, height: bitmap.height };
    const model = this.#model;
    try {
      const result = model && poseResult(await model.run(bitmap, this.#thresholds.values()));
      if (!this.#live.on) return bitmap.close();
      this.#outcome.showPicture({ bitmap, size, mirrored }, "The camera");
      if (!result || model !== this.#model) return;
      const due = this.#badge.tick();
      this.#outcome.showResult(result, model, this.#thresholds, due);
    } catch (error) {
      bitmap.close();
      if (model !== this.#model || isAbort(error)) return;
      this.#live.stop();
      this.failure.show(error, null);
    }
  }

  #stopLive(): void {
    this.#badge.stop();
    if (this.#model) setStatus("ready", "Ready");
  }
}

function poseResult(result: { kind: string }): PoseResult {
  if (result.kind === "pose") return result as PoseResult;
  throw new PageError(
    "wrong-result",
    `The model answered with ${result.kind}, not with poses.`,
    "Pack the model again: the page and the manifest disagree.",
  );
}
