import { describe, expect, test } from "vitest";
import type { ImageSource } from "../../src/index.js";
import { backends, picture, sharedTiny } from "../support/bundle.js";
import { expectClose } from "../support/compare-tensors.js";

const WIDTH = 40;
const HEIGHT = 24;

/** The image that make.py draws, from its formula. */
function drawn(alpha: (x: number, y: number) => number = () => 255): ImageData {
  const data = new ImageData(WIDTH, HEIGHT);
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      data.data.set([x * 6, (y * 10) % 256, ((x + y) * 4) % 256, alpha(x, y)], (y * WIDTH + x) * 4);
    }
  }
  return data;
}

const transparent = (): ImageData => drawn((x, y) => (x * 7 + y * 3) % 256);

async function element(blob: Blob): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = URL.createObjectURL(blob);
  await image.decode();
  return image;
}

function canvas(content: ImageData): HTMLCanvasElement {
  const made = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
  made.getContext("2d")?.putImageData(content, 0, 0);
  return made;
}

function offscreen(content: ImageData): OffscreenCanvas {
  const made = new OffscreenCanvas(WIDTH, HEIGHT);
  made.getContext("2d")?.putImageData(content, 0, 0);
  return made;
}

async function video(content: ImageData): Promise<HTMLVideoElement> {
  const made = document.createElement("video");
  made.muted = true;
  made.srcObject = canvas(content).captureStream();
  await made.play();
  return made;
}

/** Two levels of 255: the error of JPEG at its best quality and of video colours. */
const LOSSY = 5 / 255;

/** The window of an iframe, which has its own classes. */
function otherRealm(): typeof globalThis {
  const frame = document.createElement("iframe");
  document.body.append(frame);
  const { contentWindow } = frame;
  if (contentWindow === null) throw new Error("the iframe has no window");
  return contentWindow as unknown as typeof globalThis;
}

/** The same image as an object of each class of the iframe. */
const FOREIGN: [string, (realm: typeof globalThis) => Promise<ImageSource>][] = [
  [
    "an <img>",
    async ({ document: other }) => {
      const image = other.createElement("img");
      image.src = URL.createObjectURL(await picture("upright.png"));
      await image.decode();
      return image;
    },
  ],
  [
    "a <canvas>",
    async ({ document: other }) => {
      const made = Object.assign(other.createElement("canvas"), { width: WIDTH, height: HEIGHT });
      made.getContext("2d")?.putImageData(drawn(), 0, 0);
      return made;
    },
  ],
  ["a Blob", async (realm) => new realm.Blob([await picture("upright.png")])],
  ["a File", async (realm) => new realm.File([await picture("upright.png")], "upright.png")],
  [
    "ImageData",
    async (realm) => {
      const made = new realm.ImageData(WIDTH, HEIGHT);
      made.data.set(drawn().data);
      return made;
    },
  ],
  ["an ImageBitmap", (realm) => realm.createImageBitmap(drawn())],
  ["a VideoFrame", async (realm) => new realm.VideoFrame(canvas(drawn()), { timestamp: 0 })],
];

describe.each(backends)("%s", (backend) => {
  const tiny = sharedTiny({ backend });

  async function fed(source: ImageSource): Promise<Float32Array> {
    const { data } = await tiny().preprocess(source);
    return data as Float32Array;
  }

  async function expectFed(source: ImageSource, want: ImageData, tolerance = 1e-6): Promise<void> {
    expectClose(await fed(source), await fed(want), tolerance);
  }

  test("a file", async () => expectFed(await picture("upright.png"), drawn()));
  test("a file rotated by EXIF is upright", async () =>
    expectFed(await picture("turned.jpg"), drawn(), LOSSY));
  test("an element that shows another picture right after the call", async () => {
    const image = await element(await picture("upright.png"));
    const next = URL.createObjectURL(await picture("turned.jpg"));
    const reading = fed(image);
    image.src = next;
    expectClose(await reading, await fed(drawn()), 1e-6);
  });
  test("an element that has not loaded yet", async () => {
    const image = new Image();
    image.src = URL.createObjectURL(await picture("upright.png"));
    expect(image.complete).toBe(false);
    await expectFed(image, drawn());
  });
  test("an element rotated by EXIF is upright", async () => {
    await expectFed(await element(await picture("turned.jpg")), drawn(), LOSSY);
  });
  test("a file's alpha is blended over white", async () =>
    expectFed(await picture("alpha.png"), transparent()));
  test("a file's gamma is ignored", async () => expectFed(await picture("gamma.png"), drawn()));
  test("an element's gamma is ignored", async () =>
    expectFed(await element(await picture("gamma.png")), drawn()));
  test("an image element", async () => expectFed(await element(await picture("alpha.png")), transparent()));
  test("a canvas", () => expectFed(canvas(drawn()), drawn()));
  test("an OffscreenCanvas", () => expectFed(offscreen(drawn()), drawn()));
  test("an ImageBitmap", async () => {
    const bitmap = await createImageBitmap(transparent(), { premultiplyAlpha: "none" });
    await expectFed(bitmap, transparent());
    expect(bitmap.width, "the caller's bitmap is still open").toBe(WIDTH);
  });
  test("a VideoFrame", async () => {
    const frame = new VideoFrame(canvas(drawn()), { timestamp: 0 });
    await expectFed(frame, drawn());
    expect(frame.format, "the caller's frame is still open").not.toBeNull();
    frame.close();
  });
  test("a video element", async () => expectFed(await video(drawn()), drawn(), LOSSY));
  test("ImageData is not transferred from the caller", async () => {
    const given = drawn();
    await fed(given);
    expect(given.data.length).toBe(WIDTH * HEIGHT * 4);
  });
  test.each(FOREIGN)("%s of an iframe", async (_, make) => {
    const realm = otherRealm();
    const source = await make(realm);
    for (const kind of ["Blob", "ImageData", "ImageBitmap", "VideoFrame", "Element"] as const)
      expect(source).not.toBeInstanceOf(globalThis[kind]);
    await expectFed(source, drawn());
    if ("close" in source) source.close();
    realm.frameElement?.remove();
  });
  test("display-p3 colours keep their numbers, whatever object has them", async () => {
    const wide = new ImageData(WIDTH, HEIGHT, { colorSpace: "display-p3" });
    wide.data.set(drawn().data);
    const made = Object.assign(document.createElement("canvas"), { width: WIDTH, height: HEIGHT });
    made.getContext("2d", { colorSpace: "display-p3" })?.putImageData(wide, 0, 0);
    expect(made.getContext("2d")?.getContextAttributes().colorSpace).toBe("display-p3");
    for (const source of [wide, made, await createImageBitmap(wide, { colorSpaceConversion: "none" })])
      await expectFed(source, drawn());
  });
  test("pictures differ", async () => {
    const [upright, alpha] = [await fed(drawn()), await fed(transparent())];
    expect(upright.every((value, index) => value === alpha[index])).toBe(false);
  });
  test("is made where the backend is", () =>
    expect(tiny().info().preprocess.path).toBe(backend === "webgpu" ? "gpu" : "cpu"));
});
