// The objects that a visitor points at, each with the mask that answers its clicks and its box, and its name.

import type { FoundMask, ObjectMask } from "../../src/index.js";
import { type PromptedObject, PromptedObjects } from "./prompted-objects.js";

/** What an object is called that nobody named. */
export const unnamed = "object";

/** The mask of an object: its pixels where it was clicked, run lengths where a grid of points found it. */
export type AnyMask = ObjectMask | FoundMask;

export interface Answer {
  mask: AnyMask;
  /** Part of the picture that the mask covers. */
  share: number;
}

export class AnsweredObjects extends PromptedObjects {
  readonly #answers = new Map<number, Answer & { prompt: PromptedObject }>();
  readonly #names = new Map<number, string>();
  #lastName = unnamed;

  /** While a click waits for its answer, that of the click before. */
  answerOf({ id }: PromptedObject): Answer | null {
    return this.#answers.get(id) ?? null;
  }

  nameOf({ id }: PromptedObject): string {
    return this.#names.get(id) ?? unnamed;
  }

  /** The objects that begin later are called the same: people mark one kind of object after the other. */
  rename({ id }: PromptedObject, name: string): void {
    this.#lastName = name.trim() || unnamed;
    this.#names.set(id, this.#lastName);
  }

  /** The objects that have an answer, in the order of `masks`. */
  get answered(): PromptedObject[] {
    return this.all.filter((each) => this.#answers.has(each.id));
  }

  get masks(): AnyMask[] {
    return this.all.flatMap((each) => this.answerOf(each)?.mask ?? []);
  }

  /** One to ask the model about: the chosen one first. */
  get unanswered(): PromptedObject | null {
    const { all, chosen } = this;
    const isOpen = (each: PromptedObject) => this.#answers.get(each.id)?.prompt !== each;
    return chosen !== null && isOpen(chosen) ? chosen : (all.find(isOpen) ?? null);
  }

  /** What answers an object that was changed or removed since is dropped. */
  answer(prompt: PromptedObject, answer: Answer): void {
    if (this.all.includes(prompt)) this.#answers.set(prompt.id, { prompt, ...answer });
  }

  /** Drops the answers of objects that are gone, as the next object may get the `id` of one, and names new objects. */
  settle(): void {
    const ids = new Set(this.all.map(({ id }) => id));
    for (const id of this.#answers.keys()) if (!ids.has(id)) this.#answers.delete(id);
    // One that was removed keeps its name: it may come back.
    for (const id of this.#names.keys()) if (id >= this.nextId) this.#names.delete(id);
    for (const id of ids) if (!this.#names.has(id)) this.#names.set(id, this.#lastName);
  }

  override clear(): void {
    super.clear();
    this.#answers.clear();
    this.#names.clear();
  }
}
