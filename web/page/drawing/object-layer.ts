// The masks of the objects that were pointed at, in colours over the picture, and the preview of the next one.

import type { ObjectMask } from "../../src/index.js";
import type { AnsweredObjects } from "../input/answered-objects.js";
import type { PromptedObject } from "../input/prompted-objects.js";
import type { Size } from "./fit.js";
import { maskMap } from "./mask-map.js";
import { RegionBitmap } from "./region-bitmap.js";
import { type Color, regionColors } from "./region-colors.js";
import type { Stage } from "./stage.js";

export class ObjectLayer {
  readonly #stage: Stage;
  readonly #objects: AnsweredObjects;
  readonly #bitmap = new RegionBitmap();
  #preview: ObjectMask | null = null;

  constructor(stage: Stage, objects: AnsweredObjects) {
    this.#stage = stage;
    this.#objects = objects;
  }

  /** Shows what a click would find. False: nothing changes. */
  preview(mask: ObjectMask | null): boolean {
    const shown = this.#objects.chosen === null ? mask : null;
    const changes = shown !== this.#preview;
    this.#preview = shown;
    return changes;
  }

  /** With `lit`, the index of an object, the others fade. */
  async paint({ width, height }: Size, lit: number | null): Promise<void> {
    const none = { mask: new Uint8Array(0) };
    const { all, nextId } = this.#objects;
    const masks = all.map((each) => this.#objects.answerOf(each)?.mask ?? none);
    // A preview lies below what was found.
    const below = this.#preview === null ? [] : [this.#preview];
    const map = maskMap([...below, ...masks], width * height);
    const colors = objectColors([...below.map(() => ({ id: nextId })), ...all]);
    const number = lit === null ? null : lit + below.length + 1;
    const picture = await this.#bitmap.paint({ map, width, height }, colors, number);
    if (picture !== null) this.#stage.showMap(picture);
  }

  clear(): void {
    this.#bitmap.stop();
    this.#stage.showMap(null);
  }
}

/** An object keeps its colour when others are removed. */
export function objectColors(objects: readonly Pick<PromptedObject, "id">[]): Color[] {
  return regionColors(objects.map(({ id }) => ({ classIndex: id })));
}
