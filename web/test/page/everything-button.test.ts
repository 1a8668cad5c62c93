import { expect, test, vi } from "vitest";
import { EverythingButton } from "../../page/input/everything-button.js";
import { PromptedObjects } from "../../page/input/prompted-objects.js";
import { type EverythingOptions, type EverythingResult, WebbuildError } from "../../src/index.js";

function opened(show: (found: EverythingResult) => Promise<void>) {
  document.body.innerHTML = `
    <button id="everything" disabled></button>
    <input type="number" id="everything-points" value="8"><input type="number" id="everything-score" value="0.5"><input type="number" id="everything-stability" value="0.75">
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

function change(id: string, value: number): void {
  const field = document.getElementById(id) as HTMLInputElement;
  field.valueAsNumber = value;
  field.dispatchEvent(new Event("input"));
}

test("a press runs with the numbers in the fields, and shows the progress", async () => {
  const show = vi.fn(async () => {});
  const { button, press, bar, said } = opened(show);
  change("everything-score", 0.6);
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
  asked.onProgress?.({ done: 16, total: 64 });
  expect([press.textContent, bar.hidden, bar.value]).toEqual(["Stop", false, 0.25]);
  expect([asked.pointsPerSide, asked.scoreThreshold, asked.stabilityThreshold]).toEqual([8, 0.6, 0.75]);
  answer(found);
  await vi.waitFor(() => expect(bar.hidden).toBe(true));
  expect(show).toHaveBeenCalledWith(found);
  expect(said.textContent).toBe(warning.message);
});

test("says that the image is being encoded, and shows no progress of the points meanwhile", async () => {
  const { button, press, bar, said } = opened(async () => {});
  change("everything-score", 0.6);
  let hear = (_: boolean): void => {};
  button.onFind((_, looking) => {
    hear = looking;
    return new Promise(() => {});
  });
  press.click();
  expect([bar.position, said.textContent]).toEqual([0, ""]);
  hear(true);
  expect([bar.position, said.textContent]).toEqual([-1, "Encoding the picture"]);
  hear(false);
  expect([bar.position, said.textContent]).toEqual([0, ""]);
  hear(true);
  button.disable();
  expect([bar.hidden, press.disabled, said.textContent]).toEqual([true, true, ""]);
  hear(true);
  expect(said.textContent).toBe("");
});

test("a stopped search shows no result, and delays no other run", async () => {
  const show = vi.fn(async () => {});
  const { button, press, bar, said } = opened(show);
  change("everything-score", 0.6);
  const answers: ((found: EverythingResult) => void)[] = [];
  const asked: EverythingOptions[] = [];
  button.onFind((options) => {
    asked.push(options);
    return new Promise((resolve) => answers.push(resolve));
  });
  press.click();
  press.click();
  expect(bar.hidden).toBe(true);
  press.click();
  answers[0]?.({ masks: [], warnings: [{ message: "too late" }] } as unknown as EverythingResult);
  asked[0]?.onProgress?.({ done: 64, total: 64 });
  await new Promise((resolve) => setTimeout(resolve));
  expect([show.mock.calls.length, said.textContent, bar.hidden, bar.value]).toEqual([0, "", false, 0]);
  const found = { masks: [], warnings: [] } as unknown as EverythingResult;
  answers[1]?.(found);
  await vi.waitFor(() => expect(show).toHaveBeenCalledWith(found));
});

test("a second press stops it silently; another failure is shown with its fix", async () => {
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
  const wrong = new WebbuildError("invalid-option", "the number is wrong", "give another one");
  button.onFind(() => Promise.reject(wrong));
  press.click();
  await vi.waitFor(() => expect(said.textContent).toBe("The number is wrong. Give another one."));
});

test("thresholds that no mask of a few points reaches are lowered once, with a message", async () => {
  const show = vi.fn(async () => {});
  const { button, press, bar, said } = opened(show);
  const asked: EverythingOptions[] = [];
  const shares: number[] = [];
  const masks = [{ score: 0.25, stability: 0.6 }];
  button.onFind(async (options) => {
    asked.push(options);
    options.onProgress?.({ done: 32, total: 64 });
    shares.push(bar.value);
    return { masks, warnings: [] } as unknown as EverythingResult;
  });
  press.click();
  await vi.waitFor(() => expect(show).toHaveBeenCalledOnce());
  expect(asked).toMatchObject([
    { pointsPerSide: 6, scoreThreshold: 0, stabilityThreshold: 0 },
    { pointsPerSide: 8, scoreThreshold: 0.24, stabilityThreshold: 0.37 },
  ]);
  expect(shares).toEqual([0.32, 0.68]);
  expect(said.textContent).toContain("score 0.5 and stability 0.75, are too high for this model");
  await vi.waitFor(() => expect(bar.hidden).toBe(true));
  press.click();
  await vi.waitFor(() => expect(show).toHaveBeenCalledTimes(2));
  expect(asked).toHaveLength(3);
});

test("all found masks are one undo step", () => {
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
