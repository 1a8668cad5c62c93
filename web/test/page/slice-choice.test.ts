import { expect, test, vi } from "vitest";
import { SliceChoice } from "../../page/input/slice-choice.js";

const LARGE = { width: 2000, height: 300 };

function opened(rerun: () => void = () => {}) {
  document.body.innerHTML = `
    <section id="slices-card" hidden><input type="checkbox" id="slices">
      <div id="slice-fields" hidden>
        <input type="range" id="slice-size" min="320" max="2560" step="80" value="640"><output id="slice-size-value"></output>
        <input type="range" id="slice-overlap" min="0" max="0.5" step="0.05" value="0.2"><output id="slice-overlap-value"></output>
        <progress id="slices-progress" hidden></progress><p id="slices-stopping" hidden><button id="slices-stop"></button></p>
      </div><p id="slices-said"></p></section>`;
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  return {
    choice: new SliceChoice(rerun),
    card: at("slices-card"),
    on: at<HTMLInputElement>("slices"),
    fields: at("slice-fields"),
    bar: at<HTMLProgressElement>("slices-progress"),
    stop: at<HTMLButtonElement>("slices-stop"),
    said: at("slices-said"),
  };
}

function change(id: string, value: number): void {
  const slider = document.getElementById(id) as HTMLInputElement;
  slider.valueAsNumber = value;
  slider.dispatchEvent(new Event("change"));
}

test("is offered for an image larger than the model's input, and for nothing else", () => {
  const { choice, card, on } = opened();
  const offered = (size: typeof LARGE | null) => {
    choice.showPicture(size);
    return !card.hidden;
  };
  on.checked = true;
  expect(offered({ width: 640, height: 640 })).toBe(false);
  change("slice-size", 320);
  expect(choice.option()).toEqual({});
  expect(offered({ width: 200, height: 641 })).toBe(true);
  expect(choice.option()).toEqual({ slices: { size: 320, overlap: 0.2 } });
  expect(offered(null)).toBe(false);
  expect(choice.option()).toEqual({});
});

test("the switch and both sliders run the image again with their values", () => {
  const rerun = vi.fn();
  const { choice, on, fields } = opened(rerun);
  choice.showPicture(LARGE);
  expect([choice.option(), choice.link(), fields.hidden]).toEqual([{}, {}, true]);
  on.click();
  expect([choice.link(), fields.hidden]).toEqual([{ slices: "640" }, false]);
  change("slice-size", 960);
  change("slice-overlap", 0.35);
  expect(rerun).toHaveBeenCalledTimes(3);
  expect(choice.option()).toEqual({ slices: { size: 960, overlap: 0.35 } });
  expect(choice.link()).toEqual({ slices: "960", overlap: "0.35" });
  expect(document.getElementById("slice-overlap-value")?.textContent).toBe("35 %");
});

test("an image no larger than a slice runs as a whole, with a message", () => {
  const { choice, on, said } = opened();
  choice.showPicture(LARGE);
  on.click();
  expect(said.textContent).toBe("");
  change("slice-size", 2000);
  expect([choice.option(), said.textContent]).toEqual([
    {},
    "The picture is no larger than a slice: it is run as a whole.",
  ]);
});

test("a long run shows its progress, and stops when the image is run as a whole", () => {
  const rerun = vi.fn();
  const { choice, on, bar, stop, said } = opened(rerun);
  choice.showPicture(LARGE);
  choice.showSlow();
  expect(bar.hidden).toBe(true);
  on.click();
  choice.showSlow();
  choice.showProgress({ done: 1, total: 4 });
  expect([bar.hidden, stop.parentElement?.hidden, bar.value]).toEqual([false, false, 0.25]);
  stop.focus();
  stop.click();
  choice.showEnd();
  expect(rerun).toHaveBeenCalledTimes(2);
  expect([choice.option(), bar.hidden, document.activeElement]).toEqual([{}, true, on]);
  expect(said.textContent).toBe("Stopped. The picture is run as a whole.");
});

test("shows the number of slices, and moves the focus from a hidden button", () => {
  const { choice, on, stop, said } = opened();
  choice.showPicture(LARGE);
  on.click();
  choice.showSlow();
  stop.focus();
  choice.showProgress({ done: 5, total: 5 });
  choice.showEnd();
  expect(said.textContent).toBe("Run 5 times: in 4 slices and as a whole.");
  expect(document.activeElement).toBe(on);
});
