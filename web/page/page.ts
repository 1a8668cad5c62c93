// The demo page of a bundle: starts the view of its task and loads its model.

import "./page.css";
import { DetectionView } from "./detection-view.js";
import { Engine } from "./engine.js";
import { importLoader } from "./loader.js";
import { wireSnippet } from "./snippet.js";
import { TensorView } from "./tensor-view.js";

function start(): void {
  const { body } = document;
  body.classList.add("started");
  wireSnippet();
  const view = body.getAttribute("data-task") === "tensor" ? new TensorView() : new DetectionView();
  const entry = body.getAttribute("data-entry") ?? "";
  const engine = new Engine(
    () => importLoader(entry),
    view.failure,
    (model, why) => view.setModel(model, why),
  );
  void engine.load();
}

start();
