// The objects that a visitor points at, each with the mask that answers its clicks and its box.

import type { ObjectMask } from "../../src/index.js";
import { type PromptedObject, PromptedObjects } from "./prompted-objects.js";

export interface Answer {
  mask: ObjectMask;
  /** Part of the picture that the mask covers. */
  share: number;
}

export class AnsweredObjects extends PromptedObjects {
  readonly #answers = new Map<number, Answer & { prompt: PromptedObject }>();

  /** While a click waits for its answer, that of the click before. */
  answerOf({ id }: PromptedObject): Answer | null {
    return this.#answers.get(id) ?? null;
  }

  /** In the order of the objects. */
  get masks(): ObjectMask[] {
    return this.all.flatMap((each) => this.answerOf(each)?.mask ?? []);
  }

  /** One to ask the model about: the chosen one first. */
  get unanswered(): PromptedObject | null {
    const { all, chosen } = this;
    const isOpen = (each: PromptedObject) => this.#answers.get(each.id)?.prompt !== each;
    return chosen !== null && isOpen(chosen) ? chosen : (all.find(isOpen) ?? null);
  }

  /** What answers an object that was changed or removed since is dropped. */
  answer(prompt: PromptedObject, mask: ObjectMask): void {
    if (this.all.includes(prompt)) this.#answers.set(prompt.id, { prompt, mask, share: shareOf(mask.mask) });
  }

  /** Drops the answers of objects that are gone: the next object may get the `id` of one. */
  dropRemoved(): void {
    const ids = new Set(this.all.map(({ id }) => id));
    for (const id of this.#answers.keys()) if (!ids.has(id)) this.#answers.delete(id);
  }

  override clear(): void {
    super.clear();
    this.#answers.clear();
  }
}

/** Part of the picture that a mask covers. */
export function shareOf(mask: Uint8Array): number {
  return mask.reduce((sum, pixel) => sum + pixel, 0) / Math.max(1, mask.length);
}
