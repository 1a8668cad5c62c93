// The prompted objects, each with its name and the mask for its clicks and box.

import type { FoundMask, ObjectMask } from "../../src/index.js";
import { type PromptedObject, PromptedObjects } from "./prompted-objects.js";

/** The default name of an object. */
export const unnamed = "object";

/** The mask of an object: pixels for a clicked object, run lengths for one found by a grid of points. */
export type AnyMask = ObjectMask | FoundMask;

export interface Answer {
  mask: AnyMask;
  /** The part of the picture that the mask covers, 0 to 1. */
  share: number;
}

export class AnsweredObjects extends PromptedObjects {
  readonly #answers = new Map<number, Answer & { prompt: PromptedObject }>();
  readonly #names = new Map<number, string>();
  #lastName = unnamed;

  /** Returns the latest mask of an object; while a click is running, the mask of the previous click. */
  answerOf({ id }: PromptedObject): Answer | null {
    return this.#answers.get(id) ?? null;
  }

  nameOf({ id }: PromptedObject): string {
    return this.#names.get(id) ?? unnamed;
  }

  /** Renames an object. Later objects get the same name, since people mark one kind of object at a time. */
  rename({ id }: PromptedObject, name: string): void {
    this.#lastName = name.trim() || unnamed;
    this.#names.set(id, this.#lastName);
  }

  /** The objects that have a mask, in the order of `masks`. */
  get answered(): PromptedObject[] {
    return this.all.filter((each) => this.#answers.has(each.id));
  }

  get masks(): AnyMask[] {
    return this.all.flatMap((each) => this.answerOf(each)?.mask ?? []);
  }

  /** The next object to run the model for: the chosen one first. */
  get unanswered(): PromptedObject | null {
    const { all, chosen } = this;
    const isOpen = (each: PromptedObject) => this.#answers.get(each.id)?.prompt !== each;
    return chosen !== null && isOpen(chosen) ? chosen : (all.find(isOpen) ?? null);
  }

  /** Stores a mask, unless its object was changed or removed meanwhile. */
  answer(prompt: PromptedObject, answer: Answer): void {
    if (this.all.includes(prompt)) this.#answers.set(prompt.id, { prompt, ...answer });
  }

  /** Drops the masks of removed objects, since their `id` may be used again, and names new objects. */
  settle(): void {
    const ids = new Set(this.all.map(({ id }) => id));
    for (const id of this.#answers.keys()) if (!ids.has(id)) this.#answers.delete(id);
    // A removed object keeps its name, because undo may restore it.
    for (const id of this.#names.keys()) if (id >= this.nextId) this.#names.delete(id);
    for (const id of ids) if (!this.#names.has(id)) this.#names.set(id, this.#lastName);
  }

  override clear(): void {
    super.clear();
    this.#answers.clear();
    this.#names.clear();
  }
}
