// Paints the masks of prompted objects over the picture, and the preview of the mask that a click would give.

import type { ObjectMask } from "../../src/index.js";
import type { AnsweredObjects } from "../input/answered-objects.js";
import type { PromptedObject } from "../input/prompted-objects.js";
import type { Size } from "./fit.js";
import { maskMap } from "./mask-map.js";
import { RegionBitmap } from "./region-bitmap.js";
import { type Color, regionColors } from "./region-colors.js";
import { paintedSize } from "./sliced-painter.js";
import type { Stage } from "./stage.js";

export class ObjectLayer {
  readonly #stage: Stage;
  readonly #objects: AnsweredObjects;
  readonly #bitmap = new RegionBitmap();
  #preview: ObjectMask | null = null;
  /** Counts paintings, to drop one that finishes after a newer one started. */
  #turn = 0;

  constructor(stage: Stage, objects: AnsweredObjects) {
    this.#stage = stage;
    this.#objects = objects;
  }

  /** Sets the preview of a click's mask. Returns false if nothing changes. */
  preview(mask: ObjectMask | null): boolean {
    const shown = this.#objects.chosen === null ? mask : null;
    const changes = shown !== this.#preview;
    this.#preview = shown;
    return changes;
  }

  /** Paints the masks. With `lit`, the index of an object, the others fade. */
  async paint(picture: Size, lit: number | null): Promise<void> {
    this.#turn += 1;
    const turn = this.#turn;
    const { all, nextId } = this.#objects;
    const masks = all.map((each) => this.#objects.answerOf(each)?.mask ?? null);
    // The preview is painted below the masks.
    const below = this.#preview === null ? [] : [this.#preview];
    const colors = objectColors([...below.map(() => ({ id: nextId })), ...all]);
    const size = paintedSize(picture);
    const map = await maskMap([...below, ...masks], picture, size, () => turn !== this.#turn);
    if (map === null) return;
    const number = lit === null ? null : lit + below.length + 1;
    const bitmap = await this.#bitmap.paint({ map, ...size }, colors, number);
    if (bitmap !== null) this.#stage.showMap(bitmap);
  }

  clear(): void {
    this.#turn += 1;
    this.#bitmap.stop();
    this.#stage.showMap(null);
  }
}

/** Returns each object's colour, which stays when other objects are removed. */
export function objectColors(objects: readonly Pick<PromptedObject, "id">[]): Color[] {
  return regionColors(objects.map(({ id }) => ({ classIndex: id })));
}
