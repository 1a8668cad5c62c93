// The slider through the pictures of a focal stack, and their focal distances.

import type { RunOptions } from "../../src/index.js";
import type { StagePicture } from "../drawing/stage.js";
import { element } from "../util/elements.js";
import { short } from "../util/format.js";
import { linkParameter } from "./page-link.js";
import { decodePicture, type Picture } from "./picture.js";

export class FocalStack {
  readonly #slider = element("focus", HTMLInputElement);
  readonly #distances = element("distances", HTMLInputElement);
  readonly #show: (shown: StagePicture) => void;
  /** The distances in the manifest, the field's initial value. */
  readonly #default = this.#distances.defaultValue;
  /** The distances in the page's link, for the first stack. */
  #linked = linkParameter("distances");
  #frames: readonly StagePicture[] = [];
  #stack: readonly Blob[] | null = null;

  /** Returns null on a page of single pictures. */
  static find(show: (shown: StagePicture) => void): FocalStack | null {
    return document.getElementById("focus") ? new FocalStack(show) : null;
  }

  constructor(show: (shown: StagePicture) => void) {
    this.#show = show;
    this.#slider.addEventListener("input", () => this.#turn());
  }

  onChange(rerun: () => void): void {
    this.#distances.addEventListener("change", () => {
      this.#paint();
      rerun();
    });
  }

  /** Loads another stack. Its pictures are decoded one after the other, off the main thread. */
  async take({ stack, focus }: Picture, first: StagePicture): Promise<void> {
    if (stack === undefined || stack === this.#stack) return;
    this.#stack = stack;
    this.#frames = [first];
    this.#slider.value = "0";
    this.#distances.value = this.#linked ?? (focus?.length ? focus.map(short).join(", ") : this.#default);
    this.#linked = null;
    this.#paint();
    const frames = [first];
    for (const [index, blob] of stack.entries())
      if (index > 0) frames.push(await decodePicture({ blob, title: `picture ${index + 1}` }));
    if (stack !== this.#stack) return;
    this.#frames = frames;
    if (this.#slider.valueAsNumber > 0) this.#turn();
  }

  options(): RunOptions {
    return this.#distances.value.trim() === this.#default ? {} : { focusDistances: this.#numbers() };
  }

  link(): Record<string, string> {
    const distances = this.#distances.value.trim();
    return distances === this.#default ? {} : { distances };
  }

  #turn(): void {
    this.#paint();
    const shown = this.#frames[this.#slider.valueAsNumber];
    if (shown) this.#show(shown);
  }

  #paint(): void {
    const index = this.#slider.valueAsNumber;
    const distance = this.#numbers()[index];
    const words = `${index + 1} of ${Number(this.#slider.max) + 1}`;
    this.#slider.style.setProperty("--share", String(index / Number(this.#slider.max)));
    element("focus-value", HTMLOutputElement).textContent =
      distance === undefined || Number.isNaN(distance) ? words : `${words}, at ${short(distance)}`;
  }

  #numbers(): number[] {
    const parts = this.#distances.value.split(/[\s,;]+/).filter((part) => part !== "");
    return parts.map(Number);
  }
}
