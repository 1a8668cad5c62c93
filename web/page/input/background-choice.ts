// The background of a cutout: none, a colour, the blurred picture itself, or another picture.

import type { DrawableBackground, DrawablePicture } from "../../src/tasks/matte/on-background.js";
import { element, elements } from "../util/elements.js";
import { linkParameter } from "./page-link.js";
import { decodePicture } from "./picture.js";

const COLOR = /^#[0-9a-f]{6}$/;

export class BackgroundChoice {
  readonly #kinds = elements("input[name=background]", HTMLInputElement);
  readonly #color = element("background-color", HTMLInputElement);
  readonly #file = element("background-file", HTMLInputElement);
  readonly #changed: () => void;
  #picture: DrawablePicture | null = null;

  constructor(changed: () => void, failed: (error: unknown) => void) {
    this.#changed = changed;
    this.#follow(linkParameter("background"));
    for (const kind of this.#kinds) kind.addEventListener("change", () => this.#choose());
    this.#color.addEventListener("input", () => this.#changed());
    this.#file.addEventListener("change", () => void this.#take().catch(failed));
    this.#showFields();
  }

  /** Returns the background to draw; null for none. `picture` is the source picture. */
  of(picture: DrawablePicture): DrawableBackground | null {
    const kind = this.#kind;
    if (kind === "color") return { kind, color: this.#color.value };
    if (kind === "blur") return { kind, picture };
    return kind === "picture" && this.#picture !== null ? { kind, picture: this.#picture } : null;
  }

  /** The equivalent option of `run()`, as code; null for none. */
  get code(): string | null {
    const kind = this.#kind;
    if (kind === "picture") return "picture";
    return kind === "none" ? null : JSON.stringify(kind === "color" ? this.#color.value : kind);
  }

  /** The choice as a parameter of the page's link; null for another picture, which cannot be linked. */
  get link(): string | null {
    return this.#kind === "color" ? this.#color.value : this.#kind === "blur" ? "blur" : null;
  }

  get #kind(): string {
    return this.#kinds.find(({ checked }) => checked)?.value ?? "none";
  }

  #follow(word: string | null): void {
    if (word === null) return;
    const kind = COLOR.test(word) ? "color" : word === "blur" ? word : "none";
    if (kind === "color") this.#color.value = word;
    for (const each of this.#kinds) each.checked = each.value === kind;
  }

  #choose(): void {
    this.#showFields();
    this.#changed();
  }

  #showFields(): void {
    element("background-color-field", HTMLElement).hidden = this.#kind !== "color";
    element("background-picture", HTMLElement).hidden = this.#kind !== "picture";
  }

  async #take(): Promise<void> {
    const [blob] = this.#file.files ?? [];
    this.#file.value = "";
    if (blob === undefined) return;
    const { picture, size } = await decodePicture({ blob, title: blob.name });
    this.#picture = { image: picture, size };
    this.#changed();
  }
}
