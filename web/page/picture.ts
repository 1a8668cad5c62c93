// A picture the visitor chose: the bytes for the model, and a bitmap for the stage, decoded off the main thread.

import { PageError } from "./failure.js";
import type { Shown } from "./stage.js";

export interface Picture {
  blob: Blob;
  title: string;
}

/** More pixels than this along a side show no more on the stage. */
const longest = 2048;

export async function decodePicture({ blob, title }: Picture): Promise<Shown> {
  const bitmap = await createImageBitmap(blob).catch(() => {
    throw new PageError(
      "unreadable-picture",
      `${title} could not be read as a picture.`,
      "Choose a JPEG, PNG, WebP, AVIF or GIF file.",
    );
  });
  const size = { width: bitmap.width, height: bitmap.height };
  const scale = longest / Math.max(size.width, size.height);
  if (scale >= 1) return { bitmap, size, mirrored: false };
  const smaller = await createImageBitmap(bitmap, {
    resizeWidth: Math.round(size.width * scale),
    resizeHeight: Math.round(size.height * scale),
    resizeQuality: "medium",
  });
  bitmap.close();
  return { bitmap: smaller, size, mirrored: false };
}

export async function fetchPicture(file: string, title: string): Promise<Picture> {
  const response = await fetch(new URL(file, document.baseURI)).catch(() => null);
  if (response?.ok) return { blob: await response.blob(), title };
  const why = response ? `the server answered ${response.status}` : "the server did not answer";
  throw new PageError(
    "sample-missing",
    `${title} could not be loaded: ${why}.`,
    "Put the whole folder of the bundle on the server, samples included.",
  );
}
