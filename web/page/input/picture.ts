// A picture the visitor chose: the bytes for the model, and an image for the stage.

import type { StagePicture } from "../drawing/stage.js";
import { PageError } from "../shell/failure-card.js";
import type { Sample } from "./samples.js";

/** A chosen picture. For a stack, `blob` is the first picture, `stack` has all, and `focus` their distances, if known. */
export interface Picture {
  blob: Blob;
  title: string;
  /** Empty for a picture that was pasted without one. */
  fileName: string;
  stack?: readonly Blob[];
  focus?: readonly number[];
  /** The text prompt of a sample. */
  prompt?: string;
}

/** A picture of the visitor's choice, and its image on the stage. */
export interface ChosenPicture {
  picture: Picture;
  shown: StagePicture & { blob: Blob };
  /** Null if it is not a sample. */
  sample: Sample | null;
}

/** Bytes of a file that tell whether it is an animation. A colour profile may come first. */
const START = 65_536;
/** GIF, WebP, AVIF and PNG. A still picture that matches only takes a little longer. */
const ANIMATION = /^(GIF8|RIFF.{4}WEBPVP8X.*ANIM|.{4}ftypavis|.PNG.*acTL)/s;

/** The longer side in pixels that a smaller vector graphic is drawn at. */
const VECTOR_SIZE = 1024;

/**
 * Returns the picture as an image element, ready to show, and as a file that a model can run on. Browsers decode and scale
 * image elements off the main thread, with their EXIF orientation. A bitmap or canvas of a phone's photograph would block the page.
 */
export async function decodePicture({
  blob,
  title,
}: Pick<Picture, "blob" | "title">): Promise<ChosenPicture["shown"]> {
  // An image element would play the animation; the model sees its first frame.
  let pixels = (await isAnimation(blob)) ? await firstFrame(blob).catch(() => blob) : blob;
  const image = new Image();
  // The stage's label describes the picture.
  image.alt = "";
  const address = URL.createObjectURL(pixels);
  let bitmap: ImageBitmap;
  try {
    image.src = address;
    await image.decode();
    const decoded = await decodePixels(pixels).catch(() => null);
    if (decoded === null) pixels = await drawVector(image);
    bitmap = decoded ?? (await decodePixels(pixels));
  } catch {
    const fix = "Choose a JPEG, PNG, WebP, AVIF or GIF file.";
    throw new PageError("unreadable-image", `This file could not be read as a picture: ${title}.`, fix);
  } finally {
    URL.revokeObjectURL(address);
  }
  // Not the natural size of the element, which depends on the resolution in EXIF: the model's input does not.
  const { width, height } = bitmap;
  const ambient = await thumbnail(bitmap);
  bitmap.close();
  return { picture: image, size: { width, height }, mirrored: false, ambient, blob: pixels };
}

/** Rejects for a vector graphic. */
function decodePixels(blob: Blob): Promise<ImageBitmap> {
  return createImageBitmap(blob, { imageOrientation: "from-image" });
}

async function isAnimation(blob: Blob): Promise<boolean> {
  const bytes = await blob.slice(0, START).arrayBuffer();
  return ANIMATION.test(new TextDecoder("latin1").decode(bytes));
}

/** Returns the first frame of an animation, as PNG. */
async function firstFrame(blob: Blob): Promise<Blob> {
  const frame = await decodePixels(blob);
  const canvas = new OffscreenCanvas(frame.width, frame.height);
  canvas.getContext("2d")?.drawImage(frame, 0, 0);
  frame.close();
  return canvas.convertToBlob();
}

/** Draws a vector graphic on white, as PNG. */
function drawVector(image: HTMLImageElement): Promise<Blob> {
  const { naturalWidth, naturalHeight } = image;
  const scale = Math.max(1, VECTOR_SIZE / Math.max(naturalWidth, naturalHeight));
  const canvas = new OffscreenCanvas(Math.round(naturalWidth * scale), Math.round(naturalHeight * scale));
  const context = canvas.getContext("2d");
  if (context) {
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
  }
  return canvas.convertToBlob();
}

/** Returns a small version of the picture, which is shown blurred. */
function thumbnail(bitmap: ImageBitmap): Promise<ImageBitmap> {
  return createImageBitmap(bitmap, { resizeWidth: 32, resizeHeight: 24, resizeQuality: "low" });
}

/** Fetches a sample: a picture, or all pictures of a stack. */
export async function fetchSample({ file, title, stack, focus, prompt }: Sample): Promise<Picture> {
  const fileName = file.slice(file.lastIndexOf("/") + 1);
  if (stack.length === 0) return { blob: await fetchPicture(file, title), title, fileName, prompt };
  const blobs = await Promise.all(stack.map((each) => fetchPicture(each, title)));
  return { blob: blobs[0] ?? new Blob(), title, fileName, stack: blobs, focus };
}

async function fetchPicture(file: string, title: string): Promise<Blob> {
  const response = await fetch(new URL(file, document.baseURI)).catch(() => null);
  if (response?.ok) return response.blob();
  const reason = response ? `the server answered ${response.status}` : "the server did not answer";
  const fix = "Upload the whole folder of the bundle, including its subfolder samples.";
  throw new PageError("sample-not-found", `The sample could not be loaded, ${reason}: ${title}.`, fix);
}
