// Searches the visitor's pictures by text. They are embedded and ranked on this device; nothing is sent anywhere.

import type { Model } from "../../src/index.js";
import { importBundle } from "../shell/loader.js";
import { element } from "../util/elements.js";
import { latestOnly } from "../util/latest-only.js";
import { EmbeddedPictures, type EmbeddingProgress } from "./embedded-pictures.js";
import { errorText } from "./error-text.js";
import { showFound } from "./found-pictures.js";

/** The number of best pictures to show. */
const SHOWN = 24;

export class PictureSearch {
  readonly #pictures = new EmbeddedPictures();
  readonly #status = element("search-status", HTMLElement);
  readonly #progress = element("search-progress", HTMLProgressElement);
  readonly #stop = element("search-stop", HTMLButtonElement);
  readonly #words = element("search-words", HTMLInputElement);
  readonly #found = element("search-found", HTMLElement);
  readonly #search = latestOnly(() => this.#rank());
  #model: Model | null = null;
  #adding = new AbortController();
  /** Files that wait for the model, or were not finished when it was removed. */
  #waiting: readonly File[] = [];

  constructor() {
    for (const id of ["search-folder", "search-files"]) {
      const input = element(id, HTMLInputElement);
      input.addEventListener("change", () => {
        void this.#choose([...(input.files ?? [])]);
        input.value = "";
      });
    }
    this.#stop.addEventListener("click", () => this.#adding.abort());
    element("search-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#search();
    });
  }

  setModel(model: Model | null): void {
    this.#model = model;
    if (model === null) this.#adding.abort();
    else if (this.#waiting.length > 0) void this.#choose(this.#waiting);
  }

  async #choose(files: readonly File[]): Promise<void> {
    const pictures = files.filter(({ type }) => type.startsWith("image/"));
    if (pictures.length === 0) return this.#say("There is no picture among these files.");
    this.#waiting = pictures;
    const model = this.#model;
    if (model === null) return this.#say("Waiting for the model");
    this.#adding.abort();
    const adding = new AbortController();
    this.#adding = adding;
    this.#show({ done: 0, total: pictures.length, unreadable: 0 });
    try {
      const ended = await this.#pictures.add(model, pictures, adding.signal, (each) => {
        if (adding === this.#adding) this.#show(each);
      });
      if (adding !== this.#adding) return;
      if (this.#model === model) this.#waiting = [];
      this.#say(endText(this.#pictures.size, ended));
      await this.#search();
    } catch (error) {
      if (adding === this.#adding) this.#say(errorText(error));
    } finally {
      if (adding === this.#adding) {
        this.#progress.hidden = true;
        this.#stop.hidden = true;
      }
    }
  }

  async #rank(): Promise<void> {
    const words = this.#words.value.trim();
    const index = this.#pictures.index();
    const model = this.#model;
    if (words === "" || model === null) return;
    if (index === null) return this.#say("Choose pictures first, then search them.");
    try {
      if (model.info().text === undefined) this.#say("Loading the text encoder");
      const { similar } = await importBundle(document.body.dataset.entry ?? "");
      const vector = await model.embedText(words);
      const found = await similar(index, vector, SHOWN);
      showFound(this.#found, found, (name) => this.#pictures.file(name));
      if (this.#progress.hidden)
        this.#say(`${found.length} of ${index.names.length} pictures, the best first`);
    } catch (error) {
      this.#say(errorText(error));
    }
  }

  #show({ done, total }: EmbeddingProgress): void {
    this.#progress.hidden = false;
    this.#stop.hidden = false;
    this.#progress.max = total;
    this.#progress.value = done;
    // A screen reader announces this, so update it only ten times.
    if (done % Math.ceil(total / 10) === 0) this.#say(`Embedded ${done} of ${total} pictures`);
  }

  #say(text: string): void {
    this.#status.textContent = text;
  }
}

function endText(size: number, { done, total, unreadable }: EmbeddingProgress): string {
  const begun = done < total ? `Stopped at ${done} of ${total}` : "Ready";
  const left = unreadable > 0 ? `; ${unreadable} could not be read` : "";
  return `${begun}: ${size} ${size === 1 ? "picture" : "pictures"} to search${left}`;
}
