// The demo page of a bundle: starts the view of its task and loads its model.

import "./page.css";
import { ClassOutcome } from "./class-outcome.js";
import { DepthOutcome } from "./depth-outcome.js";
import { Engine } from "./engine.js";
import { FoundOutcome } from "./found-outcome.js";
import { importLoader } from "./loader.js";
import type { Outcome } from "./outcome.js";
import { PhraseOutcome } from "./phrase-outcome.js";
import { PictureView } from "./picture-view.js";
import { RegionOutcome } from "./region-outcome.js";
import { wireSnippet } from "./snippet.js";
import { TensorOutcome } from "./tensor-outcome.js";
import { TensorView } from "./tensor-view.js";

function start(): void {
  const { body } = document;
  body.classList.add("started");
  wireSnippet();
  const outcome = outcomeOf(body.getAttribute("data-view") ?? "");
  const view = outcome === null ? new TensorView() : new PictureView(outcome);
  const entry = body.getAttribute("data-entry") ?? "";
  const engine = new Engine(
    () => importLoader(entry),
    view.failure,
    (model, why) => view.setModel(model, why),
  );
  void engine.load();
}

/** Null where no picture goes in. */
function outcomeOf(view: string): Outcome | null {
  switch (view) {
    case "golden":
      return null;
    case "classes":
      return new ClassOutcome();
    case "depth":
      return new DepthOutcome();
    case "phrases":
      return new PhraseOutcome();
    case "regions":
      return new RegionOutcome();
    case "outputs":
      return new TensorOutcome();
    default:
      return new FoundOutcome();
  }
}

start();
