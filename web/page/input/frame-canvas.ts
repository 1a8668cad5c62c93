// The canvas that camera frames are painted on for the stage.

import type { StagePicture } from "../drawing/stage.js";
import { make } from "../util/elements.js";
import type { CameraFrame } from "./camera-loop.js";

export class FrameCanvas {
  readonly #canvas = Object.assign(make("canvas"), { width: 0 });

  /** Paints the frame and closes it. */
  paint({ bitmap, mirrored }: CameraFrame): StagePicture {
    const size = { width: bitmap.width, height: bitmap.height };
    const canvas = this.#canvas;
    if (canvas.width !== size.width) canvas.width = size.width;
    if (canvas.height !== size.height) canvas.height = size.height;
    canvas.getContext("2d")?.drawImage(bitmap, 0, 0);
    bitmap.close();
    return { picture: canvas, size, mirrored, ambient: canvas };
  }

  clear(): void {
    this.#canvas.width = 0;
  }

  /** Returns the last frame as a PNG, not mirrored; null without a frame. */
  toBlob(): Promise<Blob | null> {
    return new Promise((resolve) => this.#canvas.toBlob(resolve));
  }
}
