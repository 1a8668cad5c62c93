// Shows the best pictures of a search as thumbnails, in order.

import type { SimilarPicture } from "../../src/index.js";
import { make } from "../util/elements.js";

/** Pixels of the longer side, for screens with two device pixels per CSS pixel. */
const SIDE = 240;

/** Fills the list. Each picture is drawn once it is decoded, off the page's thread. */
export function showFound(
  list: HTMLElement,
  found: readonly SimilarPicture[],
  fileOf: (name: string) => File | undefined,
): void {
  list.replaceChildren(
    ...found.map(({ name, cosine }) => {
      const item = make("li");
      const canvas = make("canvas");
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", name);
      const label = make("span", "found-name", name.split("/").at(-1) ?? name);
      label.title = name;
      item.append(canvas, label, make("span", "number", cosine.toFixed(3)));
      const file = fileOf(name);
      if (file !== undefined) void draw(canvas, file);
      return item;
    }),
  );
}

/** Draws the middle of the picture as a square. */
async function draw(canvas: HTMLCanvasElement, file: File): Promise<void> {
  const whole = await createImageBitmap(file).catch(() => null);
  if (whole === null) return;
  const side = Math.min(whole.width, whole.height);
  const [left, top] = [(whole.width - side) / 2, (whole.height - side) / 2];
  const edge = Math.min(SIDE, side);
  const small = await createImageBitmap(whole, left, top, side, side, {
    resizeWidth: edge,
    resizeHeight: edge,
    resizeQuality: "medium",
  });
  whole.close();
  canvas.width = edge;
  canvas.height = edge;
  canvas.getContext("bitmaprenderer")?.transferFromImageBitmap(small);
}
