import { expect, test, vi } from "vitest";
import { EverythingButton } from "../../page/input/everything-button.js";
import { PromptedObjects } from "../../page/input/prompted-objects.js";
import { type EverythingOptions, type EverythingResult, WebbuildError } from "../../src/index.js";

function opened(show: (found: EverythingResult) => Promise<void>) {
  document.body.innerHTML = `
    <button id="everything" disabled></button>
    <input type="number" id="everything-score" value="0.5"><input type="number" id="everything-stability" value="0.75">
    <progress id="everything-progress" hidden></progress><p id="everything-said"></p>`;
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const button = new EverythingButton(show);
  button.enable();
  return {
    button,
    press: at<HTMLButtonElement>("everything"),
    bar: at<HTMLProgressElement>("everything-progress"),
    said: at("everything-said"),
  };
}

test("a press finds everything with the numbers beside it, and shows how far it is", async () => {
  const show = vi.fn(async () => {});
  const { button, press, bar, said } = opened(show);
  const warning = { code: "no-masks", message: "no mask is good enough", fix: "" };
  const found = { masks: [], warnings: [warning] } as unknown as EverythingResult;
  let asked: EverythingOptions = {};
  let answer = (_: EverythingResult): void => {};
  button.onFind((options) => {
    asked = options;
    return new Promise((resolve) => {
      answer = resolve;
    });
  });
  press.click();
  asked.onProgress?.({ done: 1, total: 4 });
  expect([press.textContent, bar.hidden, bar.value]).toEqual(["Stop", false, 0.25]);
  expect([asked.scoreThreshold, asked.stabilityThreshold]).toEqual([0.5, 0.75]);
  answer(found);
  await vi.waitFor(() => expect(bar.hidden).toBe(true));
  expect(show).toHaveBeenCalledWith(found);
  expect(said.textContent).toBe(warning.message);
});

test("a second press stops it, without a word; another failure is said", async () => {
  const { button, press, bar, said } = opened(async () => {});
  button.onFind(
    ({ signal }) =>
      new Promise((_, reject) => {
        signal?.addEventListener("abort", () => reject(new WebbuildError("aborted", "it was dropped", "")));
      }),
  );
  press.click();
  expect(press.textContent).toBe("Stop");
  press.click();
  await vi.waitFor(() => expect(bar.hidden).toBe(true));
  expect([press.textContent, said.textContent]).toEqual(["Find everything", ""]);
  button.onFind(() => Promise.reject(new Error("the number is wrong")));
  press.click();
  await vi.waitFor(() => expect(said.textContent).toBe("the number is wrong"));
});

test("all that was found is one step, which is undone at once", () => {
  const objects = new PromptedObjects();
  objects.click({ x: 1, y: 1, label: 1 });
  const added = objects.addAll([
    { x: 2, y: 2 },
    { x: 3, y: 3 },
  ]);
  expect(added.map(({ id }) => id)).toEqual([1, 2]);
  expect([objects.all.length, objects.chosen, objects.nextId]).toEqual([3, null, 3]);
  objects.undo();
  expect(objects.all.length).toBe(1);
});
