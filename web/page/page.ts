// The demo page of a bundle: starts the view of its task and loads its model.

import "./page.css";
import { openLinks } from "./input/page-link.js";
import { EnginePanel } from "./shell/engine-panel.js";
import { ImagePage } from "./shell/image-page.js";
import { importLoader } from "./shell/loader.js";
import { wireSnippet } from "./shell/snippet.js";
import { TensorPage } from "./shell/tensor-page.js";
import { createTaskView } from "./views/registry.js";

function start(): void {
  const { body } = document;
  body.classList.add("started");
  wireSnippet();
  openLinks();
  const takesPicture = body.getAttribute("data-input") === "picture";
  const kind = body.getAttribute("data-view") ?? "";
  const page = takesPicture ? new ImagePage(createTaskView(kind)) : new TensorPage();
  const entry = body.getAttribute("data-entry") ?? "";
  const engine = new EnginePanel(
    () => importLoader(entry),
    page.failure,
    (model, reason) => page.setModel(model, reason),
  );
  void engine.load();
}

// A separate task: evaluating this file, the first layout and starting together would be a long task.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => setTimeout(start));
else setTimeout(start);
