// The shadow DOM of <web-model>: the stage of the demo page, its buttons, a message line. No markup and no inline style.

import type { Progress } from "../../src/index.js";
import controls from "../css/controls.css?inline";
import stageStyle from "../css/stage.css?inline";
import tokens from "../css/tokens.css?inline";
import elementStyle from "../css/web-model.css?inline";
import { hasFiles, pictures } from "../input/image-picker.js";
import { describe } from "../shell/failure-card.js";
import { make } from "../util/elements.js";
import { sentenceCase } from "../util/sentence-case.js";

/** A constructed style sheet is not inline style: a policy of `style-src 'self'` allows it. */
const sheet = new CSSStyleSheet();
sheet.replaceSync([tokens.replaceAll(":root", ":host"), controls, stageStyle, elementStyle].join("\n"));

/** Fills the host's shadow root and returns functions to update it. `take` is called with each chosen file. */
export function buildView(host: HTMLElement, take: (file: File) => void) {
  const { video, hint, ...parts } = buildStage();
  const { stage } = parts;
  const file = Object.assign(make("input", "hidden-input"), { type: "file", accept: "image/*", id: "file" });
  const choose = Object.assign(make("label", "button primary", "Choose a picture"), { htmlFor: "file" });
  const webcam = Object.assign(make("button", "button", "Use camera"), {
    type: "button",
    ariaPressed: "false",
  });
  const flip = Object.assign(make("button", "button", "Switch camera"), { type: "button", hidden: true });
  const actions = make("div", "actions");
  actions.append(file, choose, webcam, flip);
  const progress = Object.assign(make("progress"), { ariaLabel: "Loading the model", hidden: true });
  const words = Object.assign(make("p", "words"), { role: "status" });
  const root = host.attachShadow({ mode: "open" });
  root.adoptedStyleSheets = [sheet];
  root.append(stage, progress, actions, words);
  file.addEventListener("change", () => {
    const [first] = file.files ?? [];
    file.value = "";
    if (first) take(first);
  });
  takeFiles(host, stage, take);
  const say = (text: string, failed = false) => {
    words.classList.toggle("failed", failed);
    words.textContent = text;
  };
  return {
    stage: parts,
    hint,
    say,
    camera: {
      ...{ video, webcam, flip },
      paint(on: boolean) {
        webcam.textContent = on ? "Stop camera" : "Use camera";
        // Otherwise a screen reader would announce every frame.
        words.ariaLive = on ? "off" : "polite";
      },
    },
    /** Shows the progress of loading; null while nothing loads. */
    load(at: Progress | null) {
      progress.hidden = at === null;
      if (at !== null) progress.value = at.bytesTotal > 0 ? at.bytesDone / at.bytesTotal : 0;
    },
    fail(error: unknown) {
      const { message, fix } = describe(error);
      progress.hidden = true;
      say(`${sentenceCase(message)} ${sentenceCase(fix)}`, true);
    },
  };
}

function buildStage() {
  const stage = make("div", "stage");
  const video = Object.assign(make("video", "source"), {
    muted: true,
    playsInline: true,
    ariaHidden: "true",
  });
  const ambient = Object.assign(make("canvas", "ambient"), { width: 32, height: 24, ariaHidden: "true" });
  const slot = Object.assign(make("div", "slot"), { role: "img", ariaLabel: "No picture yet" });
  const overlay = Object.assign(make("canvas", "overlay"), { width: 1, height: 1, ariaHidden: "true" });
  const hint = make("p", "hint", "Drop a picture here, paste one, or choose a file.");
  const veil = Object.assign(make("p", "veil", "Drop to run"), { ariaHidden: "true" });
  stage.append(video, ambient, slot, overlay, hint, veil);
  return { stage, ambient, slot, overlay, video, hint };
}

/** Calls `take` with a file that is dropped on the host or pasted into it. */
function takeFiles(host: HTMLElement, stage: HTMLElement, take: (file: File) => void): void {
  const first = (data: DataTransfer | null) => {
    const [file] = pictures(data);
    if (file) take(file);
  };
  const mark = (over: boolean) => stage.classList.toggle("over", over);
  host.addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    mark(true);
  });
  host.addEventListener("dragleave", () => mark(false));
  host.addEventListener("drop", (event) => {
    mark(false);
    if (!hasFiles(event)) return;
    event.preventDefault();
    first(event.dataTransfer);
  });
  host.addEventListener("paste", (event) => first(event.clipboardData));
}
