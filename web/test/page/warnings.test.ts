// Warnings on the page: the model's stay, a run's disappear with it.

import { beforeEach, expect, test } from "vitest";
import { ModelWarnings } from "../../page/shell/warnings.js";
import type { Model, Warning } from "../../src/index.js";

const warning = (code: string, message = code): Warning => ({ code, message, fix: "" });
const shown = () => Array.from(document.querySelectorAll("#warnings code"), ({ textContent }) => textContent);

/** A model that fires its warnings as events. */
class WarningModel {
  readonly #target = new EventTarget();

  constructor(readonly warnings: Warning[]) {}

  readonly addEventListener: Model["addEventListener"] = (name, listener) =>
    this.#target.addEventListener(name, listener as EventListener);

  warn(said: Warning): void {
    this.warnings.push(said);
    this.#target.dispatchEvent(new CustomEvent("warning", { detail: said }));
  }
}

beforeEach(() => {
  document.body.innerHTML = '<ul id="warnings"></ul>';
});

test("a model's later warning is shown with the next result", () => {
  const warnings = [warning("not-kept")];
  const list = new ModelWarnings();
  list.setModel(new WarningModel(warnings));
  expect(shown()).toEqual(["not-kept"]);
  warnings.push(warning("session-failed", "WebGPU cannot run the model here; it runs on WASM, slower"));
  list.showRun([]);
  expect(shown()).toEqual(["not-kept", "session-failed"]);
});

test("a run's warning disappears with the next run, though the model lists it", () => {
  const warnings = [warning("not-kept")];
  const list = new ModelWarnings();
  list.setModel(new WarningModel(warnings));
  const cut = warning("cut-off", "of 300 candidates 100 are left");
  warnings.push({ ...cut, message: `decoder: ${cut.message}` });
  list.showRun([cut]);
  expect(shown()).toEqual(["not-kept", "cut-off"]);
  list.showRun([]);
  expect(shown()).toEqual(["not-kept"]);
});

test("another model begins without warnings", () => {
  const list = new ModelWarnings();
  const gone = new WarningModel([warning("not-kept")]);
  list.setModel(gone);
  list.setModel(null);
  gone.warn(warning("not-offline"));
  expect(shown()).toEqual([]);
});

test("a model's warning between runs is shown at once, next to the last run's", () => {
  const list = new ModelWarnings();
  const model = new WarningModel([]);
  list.setModel(model);
  list.showRun([warning("cut-off")]);
  model.warn(warning("not-offline"));
  expect(shown()).toEqual(["not-offline", "cut-off"]);
});
