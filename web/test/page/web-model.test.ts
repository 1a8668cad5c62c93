// <web-model> with a model of the page: which picture it shows, and what its events hold.

import { afterEach, expect, test, vi } from "vitest";
import type { LoadedModel } from "../../integrations/element/types.js";
import { WebModel } from "../../page/element/web-model.js";

customElements.define("web-model", WebModel);

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

/** Returns a picture of this width. */
function pictureOf(width: number): Promise<Blob> {
  const canvas = new OffscreenCanvas(width, 4);
  canvas.getContext("2d")?.fillRect(0, 0, width, 4);
  return canvas.convertToBlob();
}

/** Answers requests by their path: with its picture when `resolve` is called, without one with 404. */
function pictureServer(...names: string[]) {
  const answers = new Map<string, (picture: Blob) => void>();
  const files = new Map(
    names.map((name) => [`/${name}`, new Promise<Blob>((resolve) => answers.set(name, resolve))]),
  );
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url) => {
    const file = files.get(new URL(String(url)).pathname);
    return file ? new Response(await file) : new Response("", { status: 404 });
  });
  return (name: string, picture: Blob) => answers.get(name)?.(picture);
}

interface Shown {
  element: WebModel;
  /** The widths of the pictures that were run. */
  run: number[];
  errors: unknown[];
}

/** Adds an element with a matting model, whose cutout is the picture. */
function shown(attributes: Record<string, string> = {}): Shown {
  const element = document.createElement("web-model") as WebModel;
  const [run, errors]: [number[], unknown[]] = [[], []];
  element.addEventListener("error", (event) => errors.push(Object(event).detail));
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  document.body.append(element);
  element.model = {
    manifest: { task: { kind: "matte" }, inputs: [] },
    async run(source: Blob) {
      const cutout = await createImageBitmap(source);
      run.push(cutout.width);
      return {
        kind: "matte",
        width: cutout.width,
        height: 4,
        cutout,
        alpha: new Uint8Array(4 * cutout.width),
      };
    },
    reset: async () => {},
    dispose: async () => {},
  } as unknown as LoadedModel;
  return { element, run, errors };
}

/** Long enough for a picture to be fetched, decoded and run. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 300));

test("the latest picture attribute is shown, though an earlier one arrives after it", async () => {
  const answer = pictureServer("slow.png", "fast.png");
  const { element, run } = shown({ picture: "/slow.png" });
  element.setAttribute("picture", "/fast.png");
  answer("fast.png", await pictureOf(20));
  await vi.waitFor(() => expect(run).toEqual([20]));
  answer("slow.png", await pictureOf(10));
  await settled();
  expect(run).toEqual([20]);
});

test("a picture that is chosen while the attribute's is fetched stays", async () => {
  const answer = pictureServer("first.png");
  const { element, run } = shown({ picture: "/first.png" });
  await element.show(await pictureOf(30));
  answer("first.png", await pictureOf(10));
  await settled();
  expect(run).toEqual([30]);
});

test("removing the picture attribute fetches nothing", async () => {
  const answer = pictureServer("first.png");
  const { element, run, errors } = shown({ picture: "/first.png" });
  answer("first.png", await pictureOf(10));
  await vi.waitFor(() => expect(run).toEqual([10]));
  element.removeAttribute("picture");
  await element.show(await pictureOf(30));
  await settled();
  expect([run, errors]).toEqual([[10, 30], []]);
  expect(fetch).toHaveBeenCalledTimes(1);
});

test("a picture that cannot be read is an error, unless another one was chosen since", async () => {
  const { element, run, errors } = shown();
  const broken = new Blob(["no picture"], { type: "image/png" });
  await element.show(broken);
  expect(errors).toMatchObject([{ code: "unreadable-image" }]);
  const picture = await pictureOf(30);
  await Promise.all([element.show(broken), element.show(picture)]);
  expect([run, errors.length]).toEqual([[30], 1]);
});

test.each([null, undefined])("%s is no options", (none) => {
  const { element } = shown();
  element.options = { confidence: 0.4 };
  element.options = none;
  expect(element.options).toEqual({});
});

test("the failure of an earlier src is not shown over the model of the latest", async () => {
  const { element, errors } = shown();
  const { model } = element;
  const module = (code: string) => `data:text/javascript,${encodeURIComponent(code)}`;
  const ready = new Promise((resolve) => element.addEventListener("ready", resolve));
  Object.assign(globalThis, { loaded: model });
  element.setAttribute(
    "src",
    module('await new Promise((resolve) => setTimeout(resolve, 100)); throw new Error("late");'),
  );
  await Promise.resolve();
  element.setAttribute("src", module("export const load = async () => globalThis.loaded;"));
  await ready;
  await settled();
  expect(element.model).toBe(model);
  expect(errors).toEqual([]);
});

test.each(["a picture", "the camera"])(
  "a run of %s that fails because its model was replaced is no failure",
  async (source) => {
    const { element, run, errors } = shown();
    const { model } = element;
    const canvas = document.createElement("canvas");
    canvas.getContext("2d")?.fillRect(0, 0, 1, 1);
    vi.spyOn(navigator.mediaDevices, "getUserMedia").mockResolvedValue(canvas.captureStream(30));
    let fail = (_: Error): void => {};
    const begun = new Promise<void>((resolve) => {
      const unfinished = (): Promise<never> =>
        new Promise((_, reject) => {
          fail = reject;
          resolve();
        });
      element.model = { ...model, run: unfinished } as unknown as LoadedModel;
    });
    const webcam = element.shadowRoot?.querySelector("button");
    if (source === "the camera") webcam?.click();
    else void element.show(await pictureOf(10));
    const drawing = setInterval(() => canvas.getContext("2d")?.fillRect(0, 0, Math.random(), 1), 30);
    await begun;
    element.model = model;
    fail(new Error("the model was used after dispose()"));
    await vi.waitFor(() => expect(run.length).toBeGreaterThan(0));
    clearInterval(drawing);
    expect(errors).toEqual([]);
    expect(webcam?.textContent).toBe(source === "the camera" ? "Stop camera" : "Use camera");
  },
);

test("the camera stops when the page aborts the signal in the options", async () => {
  const { element, run, errors } = shown();
  const aborting = new AbortController();
  const abortable = async (source: ImageBitmap, options: { signal: AbortSignal }): Promise<unknown> => {
    options.signal.throwIfAborted();
    return model?.run(source as never, options as never);
  };
  const { model } = element;
  element.model = { ...model, run: abortable } as unknown as LoadedModel;
  element.options = { signal: aborting.signal };
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  vi.spyOn(navigator.mediaDevices, "getUserMedia").mockResolvedValue(canvas.captureStream(30));
  const drawing = setInterval(() => context?.fillRect(0, 0, Math.random(), 1), 30);
  const webcam = element.shadowRoot?.querySelector("button");
  webcam?.click();
  await vi.waitFor(() => expect(run.length).toBeGreaterThan(0));
  aborting.abort();
  await vi.waitFor(() => expect(webcam?.textContent).toBe("Use camera"));
  clearInterval(drawing);
  expect(errors).toEqual([]);
});

test("an event's result has an open cutout, which is closed with the next result", async () => {
  const { element } = shown();
  const widths: number[] = [];
  const cutouts: ImageBitmap[] = [];
  element.addEventListener("result", (event) => {
    const { cutout } = (event as CustomEvent<{ cutout: ImageBitmap }>).detail;
    widths.push(cutout.width);
    cutouts.push(cutout);
  });
  for (const width of [10, 20]) await element.show(await pictureOf(width));
  expect(widths).toEqual([10, 20]);
  expect(cutouts.map(({ width }) => width)).toEqual([0, 20]);
});
