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

/**
 * Returns the picture as an image element, ready to show. Browsers decode and scale image elements off the main thread,
 * with their EXIF orientation. A bitmap or canvas of a phone's photograph would block the page.
 */
export async function decodePicture({ blob, title }: Pick<Picture, "blob" | "title">): Promise<StagePicture> {
  const image = new Image();
  // The stage's label describes the picture.
  image.alt = "";
  const address = URL.createObjectURL(blob);
  try {
    image.src = address;
    await image.decode();
  } catch {
    const fix = "Choose a JPEG, PNG, WebP, AVIF or GIF file.";
    throw new PageError("unreadable-image", `This file could not be read as a picture: ${title}.`, fix);
  } finally {
    URL.revokeObjectURL(address);
  }
  // Null for a vector graphic.
  const bitmap = await createImageBitmap(blob, { imageOrientation: "from-image" }).catch(() => null);
  // The natural size of an element depends on the resolution in EXIF, which the model's input does not.
  const { width, height } = bitmap ?? { width: image.naturalWidth, height: image.naturalHeight };
  const ambient = bitmap && (await thumbnail(bitmap));
  bitmap?.close();
  return { picture: image, size: { width, height }, mirrored: false, ambient, blob };
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
