import { expect, test, vi } from "vitest";
import { readLabels, WordClasses } from "../../page/search/word-classes.js";
import { type Model, WebbuildError } from "../../src/index.js";

const PICTURE = Float32Array.of(0.6, 0.8);
const VECTORS: Record<string, Float32Array> = { cat: Float32Array.of(1, 0), dog: Float32Array.of(0, 1) };

function opened() {
  document.body.innerHTML = `
    <form id="labels-form"><textarea id="labels"></textarea><button></button></form>
    <p id="labels-status"></p><p><span id="labels-best"></span></p><ol id="labels-rows"></ol>`;
  const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
  const classes = new WordClasses();
  const embedText = vi.fn(async (labels: readonly string[]) =>
    labels.map((label) => {
      const vector = VECTORS[label];
      if (vector === undefined) throw new WebbuildError("invalid-prompt", `${label} is too long`, "cut it");
      return vector;
    }),
  );
  const task = { textInput: { logitScale: 10, logitBias: null } };
  const model = { manifest: { textEncoder: { task } }, info: () => ({}), embedText } as unknown as Model;
  return {
    classes,
    model,
    embedText,
    rows: at("labels-rows"),
    status: at("labels-status"),
    best: at("labels-best"),
    write(text: string) {
      at<HTMLTextAreaElement>("labels").value = text;
      at<HTMLFormElement>("labels-form").requestSubmit();
    },
  };
}

test.each([
  ["a cat, a dog", ["a cat", "a dog"]],
  ["a cat\r\n\n a dog ,,a cat\n", ["a cat", "a dog"]],
  [" , \n", []],
])("reads the labels of %j, each once", (text, labels) => {
  expect(readLabels(text)).toEqual(labels);
});

test("classifies the image on show, and the next one too", async () => {
  const { classes, model, rows, best, status, write } = opened();
  classes.setModel(model);
  classes.show(PICTURE);
  write("cat, dog");
  await vi.waitFor(() => expect(best.textContent).toBe("dog"));
  // softmax(10 * [0.6, 0.8])
  expect([...rows.children].map((row) => row.textContent)).toEqual(["dog88.1 %", "cat11.9 %"]);
  expect([status.textContent, classes.link()]).toEqual(["", { labels: "cat, dog" }]);
  expect(classes.rows()[0]).toEqual({ label: "dog", value: "88.1 %" });
  classes.show(Float32Array.of(1, 0));
  await vi.waitFor(() => expect(best.textContent).toBe("cat"));
});

test("shows errors, and no classes of the previous words", async () => {
  const { classes, model, rows, status, write } = opened();
  classes.setModel(model);
  classes.show(PICTURE);
  write("cat");
  await vi.waitFor(() => expect(rows.children.length).toBe(1));
  write("cat, a novel");
  await vi.waitFor(() => expect(status.textContent).toBe("A novel is too long. Cut it."));
  expect(rows.children.length).toBe(0);
  write("");
  await vi.waitFor(() => expect(status.textContent).toBe(""));
  expect(classes.link()).toEqual({});
});

test("waits for a model and a picture", async () => {
  const { classes, model, embedText, best, write } = opened();
  write("dog");
  classes.setModel(model);
  await Promise.resolve();
  expect(embedText).not.toHaveBeenCalled();
  classes.show(PICTURE);
  await vi.waitFor(() => expect(best.textContent).toBe("dog"));
});
