// The buttons that export a result: the drawn picture, the result as JSON, a link to this page.

import { type Result, toJson } from "../../src/index.js";
import { download } from "../util/download.js";
import { element } from "../util/elements.js";
import { copyButton, copyText } from "./clipboard.js";

interface ResultSource {
  /** The picture with its drawing. */
  picture(): Promise<Blob | null>;
  link(): string;
  /** Returns the result to export, if the page shows more than the last run's. */
  fullResult(result: Result): Result;
}

export class ResultActions {
  readonly #root = element("result-actions", HTMLElement);
  #result: Result | null = null;

  constructor({ picture, link, fullResult }: ResultSource) {
    element("save-picture", HTMLButtonElement).addEventListener("click", async () => {
      const blob = await picture();
      if (blob) download(blob, "result.png");
    });
    element("copy-result", HTMLButtonElement).addEventListener("click", async () => {
      if (!this.#result) return;
      const text = JSON.stringify(toJson(fullResult(this.#result)), null, 2);
      if (!(await copyText(text, copyButton("copy-result"), "Saved")))
        download(new Blob([text], { type: "application/json" }), "result.json");
    });
    element("copy-link", HTMLButtonElement).addEventListener("click", async () => {
      const address = link();
      history.replaceState(null, "", address);
      await copyText(address, copyButton("copy-link"), "In the address bar");
    });
  }

  /** Null hides the buttons. */
  show(result: Result | null): void {
    this.#result = result;
    this.#root.hidden = result === null;
  }
}
