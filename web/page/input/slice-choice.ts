// The controls for overlapping slices of a large picture: on or off, their size, the progress, and a stop button.

import type { PartProgress, SliceOptions } from "../../src/index.js";
import type { Size } from "../drawing/fit.js";
import { element, fillTrack } from "../util/elements.js";
import { linkParameter, setFromLink } from "./page-link.js";

export class SliceChoice {
  readonly #card = element("slices-card", HTMLElement);
  readonly #on = element("slices", HTMLInputElement);
  readonly #fields = element("slice-fields", HTMLElement);
  readonly #size = element("slice-size", HTMLInputElement);
  readonly #overlap = element("slice-overlap", HTMLInputElement);
  readonly #bar = element("slices-progress", HTMLProgressElement);
  readonly #stop = element("slices-stop", HTMLButtonElement);
  readonly #stopping = element("slices-stopping", HTMLElement);
  readonly #message = element("slices-said", HTMLElement);
  #picture: Size | null = null;

  /** `rerun` runs the picture again, without waiting for the current run. */
  constructor(rerun: () => void) {
    this.#on.checked = linkParameter("slices") !== null;
    setFromLink(this.#size, "slices");
    setFromLink(this.#overlap, "overlap");
    this.#paint();
    const change = (): void => {
      this.#paint();
      rerun();
    };
    this.#on.addEventListener("change", change);
    for (const slider of [this.#size, this.#overlap]) {
      slider.addEventListener("input", () => this.#paint());
      // A run takes long, so start it only when the slider is released.
      slider.addEventListener("change", change);
    }
    this.#stop.addEventListener("click", () => {
      this.#on.checked = false;
      this.#on.focus();
      change();
      this.#message.textContent = "Stopped. The picture is run as a whole.";
    });
  }

  /** Sets the size of the current picture; null for the camera, whose frames are not sliced. */
  showPicture(size: Size | null): void {
    this.#picture = size;
    this.#card.hidden = size === null || isWithin(size, Number(this.#size.defaultValue));
    this.#paint();
  }

  /** The option of a run; empty if the picture is run as a whole. */
  option(): { slices?: SliceOptions } {
    if (!this.#on.checked || this.#card.hidden || this.#isWhole) return {};
    return { slices: { size: this.#size.valueAsNumber, overlap: this.#overlap.valueAsNumber } };
  }

  /** The link's parameters, also if the current picture is run as a whole. */
  link(): Record<string, string> {
    if (!this.#on.checked) return {};
    const { value, defaultValue } = this.#overlap;
    return { slices: this.#size.value, ...(value === defaultValue ? {} : { overlap: value }) };
  }

  /** Shows the stop button of a slow run. */
  showSlow(): void {
    if (this.option().slices !== undefined) this.#showRunning(true);
  }

  showProgress({ done, total }: PartProgress): void {
    this.#bar.value = done / total;
    if (done === total)
      this.#message.textContent = `Run ${total} times: in ${total - 1} slices and as a whole.`;
  }

  showEnd(): void {
    // A hidden button would lose the focus.
    if (document.activeElement === this.#stop) this.#on.focus();
    this.#showRunning(false);
  }

  #showRunning(runs: boolean): void {
    this.#bar.value = 0;
    this.#bar.hidden = !runs;
    this.#stopping.hidden = !runs;
  }

  #paint(): void {
    for (const slider of [this.#size, this.#overlap]) fillTrack(slider);
    this.#fields.hidden = !this.#on.checked;
    element("slice-size-value", HTMLOutputElement).textContent = `${this.#size.value} px`;
    element("slice-overlap-value", HTMLOutputElement).textContent =
      `${Math.round(this.#overlap.valueAsNumber * 100)} %`;
    const note = "The picture is no larger than a slice: it is run as a whole.";
    this.#message.textContent = this.#on.checked && this.#isWhole ? note : "";
  }

  /** Whether the picture fits into one slice. */
  get #isWhole(): boolean {
    return this.#picture !== null && isWithin(this.#picture, this.#size.valueAsNumber);
  }
}

function isWithin({ width, height }: Size, side: number): boolean {
  return Math.max(width, height) <= side;
}
