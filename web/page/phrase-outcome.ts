// Shows what was found by words, and takes the words in.

import type { RunOptions } from "../src/index.js";
import { FoundOutcome } from "./found-outcome.js";
import type { Picture } from "./picture.js";
import { PromptBox } from "./prompt-box.js";
import type { Shown } from "./stage.js";

export class PhraseOutcome extends FoundOutcome {
  protected override readonly other = "other words";
  readonly #box = new PromptBox();

  onChange(rerun: () => void): void {
    this.#box.onChange(rerun);
  }

  options(): RunOptions {
    return { prompt: this.#box.value };
  }

  override showPicture(shown: Shown, title: string, picture?: Picture): void {
    if (picture?.prompt !== undefined) this.#box.take(picture.prompt);
    super.showPicture(shown, title);
  }
}
