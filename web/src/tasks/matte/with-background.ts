// Draws a cutout on the background of the run's options.

import { sizeOf } from "../../preprocess/canvas-pixels.js";
import { type TextureSource, textureSource } from "../../preprocess/gpu/upload-texture.js";
import type { Picture } from "../../preprocess/pixels.js";
import { onBackground } from "./on-background.js";
import type { Background } from "./options.js";

/** Returns the cutout unchanged, or closes it and returns it on its background. */
export async function withBackground(
  background: Background | null,
  cutout: ImageBitmap,
  alpha: Uint8Array,
  picture: Picture,
): Promise<ImageBitmap> {
  if (background === null) return cutout;
  try {
    if (background.kind === "color") return onBackground(background, cutout, alpha);
    const { kind } = background;
    const given = kind === "blur" ? picture : background.picture;
    return await withDrawable(given, (image) => {
      return onBackground({ kind, picture: { image, size: sizeOf(image) } }, cutout, alpha);
    });
  } finally {
    cutout.close();
  }
}

async function withDrawable<T>(picture: Picture, draw: (image: ImageBitmap) => T): Promise<T> {
  return withTexture(picture, async (source) => {
    if (!(source instanceof ImageData)) return draw(source);
    const image = await createImageBitmap(source);
    try {
      return draw(image);
    } finally {
      image.close();
    }
  });
}

/** Passes the picture to `work` as a frame, which is closed afterwards unless it is the picture itself. */
export async function withTexture<T>(
  picture: Picture,
  work: (source: TextureSource) => T | Promise<T>,
): Promise<T> {
  const source = await textureSource(picture);
  try {
    return await work(source);
  } finally {
    if (source !== picture && "close" in source) source.close();
  }
}
