// Drag and drop: files are images; text belongs to the page's own fields.

import { expect, test } from "vitest";
import { buildView } from "../../page/element/view.js";
import { pickImages } from "../../page/input/image-picker.js";

type Taken = Parameters<Parameters<typeof pickImages>[0]>[0];

/** Drags over the target and drops there; returns whether the browser's default action was prevented for each event. */
function drop(target: EventTarget, fill: (data: DataTransfer) => void): boolean[] {
  const dataTransfer = new DataTransfer();
  fill(dataTransfer);
  return ["dragover", "drop"].map((type) => {
    const event = new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true });
    target.dispatchEvent(event);
    return event.defaultPrevented;
  });
}

const picture = new File(["a"], "a.png", { type: "image/png" });
const text = (data: DataTransfer) => data.setData("text/plain", "a red cup");
const file = (data: DataTransfer) => void data.items.add(picture);

test("the page accepts files dropped anywhere, and leaves text to its fields", () => {
  document.body.innerHTML = '<input id="file" type="file"><div id="drop"></div><textarea></textarea>';
  const taken: Taken[] = [];
  pickImages((each) => taken.push(each));
  const field = document.querySelector("textarea") as HTMLTextAreaElement;
  expect(drop(field, text)).toEqual([false, false]);
  expect(taken).toEqual([]);
  expect(drop(field, file)).toEqual([true, true]);
  expect(taken).toMatchObject([{ fileName: "a.png" }]);
});

/** Pastes into the target. */
function paste(target: EventTarget, fill: (data: DataTransfer) => void): void {
  const clipboardData = new DataTransfer();
  fill(clipboardData);
  target.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
}

test("pasted pictures have different names, and text that is pasted into a field stays text", () => {
  document.body.innerHTML = '<input id="file" type="file"><div id="drop"></div><textarea></textarea>';
  const taken: Taken[] = [];
  pickImages((each) => taken.push(each));
  const field = document.querySelector("textarea") as HTMLTextAreaElement;
  const bitmap = (data: DataTransfer) =>
    void data.items.add(new File(["b"], "image.png", { type: "image/png" }));
  for (const fill of [bitmap, bitmap, file]) paste(document.body, fill);
  paste(field, bitmap);
  const names = ["pasted-1.png", "pasted-2.png", "a.png", "pasted-4.png"];
  expect(taken.map(({ title }) => title)).toEqual(names);
  expect(taken.map(({ fileName }) => fileName)).toEqual(names);
  paste(field, (data) => {
    text(data);
    bitmap(data);
  });
  expect(taken.length).toBe(4);
});

test("the element accepts files, and leaves text to others", () => {
  const taken: File[] = [];
  const host = document.createElement("div");
  const { stage } = buildView(host, (each) => taken.push(each));
  expect(drop(host, text)).toEqual([false, false]);
  expect(drop(host, file)).toEqual([true, true]);
  expect([taken, stage.stage.className]).toEqual([[picture], "stage"]);
});
