// The options of a matting model: the background of the cutout, and tiles.

import { WebbuildError } from "../../api/errors.js";
import type { RunOptions } from "../../api/types.js";
import type { MatteTask } from "../../manifest/manifest.js";
import { isImageSource } from "../../preprocess/image-source.js";
import type { Picture } from "../../preprocess/pixels.js";
import { checkTiles } from "../../tiles/check-tiles.js";
import type { TaskOptions } from "../task-options.js";

/** The background of the cutout. */
export type Background =
  | { kind: "color"; color: string }
  | { kind: "blur" }
  | { kind: "picture"; picture: Picture };

const COLOR = /^#[0-9a-f]{6}$/i;

export const options: TaskOptions<MatteTask> = {
  kind: "matte",
  names: ["background", "tiles", "onTile"],
  pictures: ["background"],
  refusal: "the model is not a matting model",
  check({ task, inputs }, given) {
    backgroundOf(given);
    checkTiles(task.tiles, inputs, given);
  },
};

/** Returns null for no background. Throws "invalid-option" for an invalid one. */
export function backgroundOf({ background }: RunOptions): Background | null {
  if (background === undefined) return null;
  if (background === "blur") return { kind: "blur" };
  if (typeof background === "string" && COLOR.test(background)) return { kind: "color", color: background };
  // In the worker it is the picture sent by the page. On the page the value is not used.
  if (isImageSource(background)) return { kind: "picture", picture: background as Picture };
  const got = typeof background === "string" ? JSON.stringify(background) : typeof background;
  const what = `background: wanted a color, a picture or "blur", got ${got}`;
  const fix = 'give "#rrggbb", "blur" or a picture, or leave background out for a transparent one';
  throw new WebbuildError("invalid-option", what, fix);
}
