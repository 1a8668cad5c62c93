// The prompted objects of one picture: the clicks and box of each, in steps that can be undone.

import type { Box, Point, RunOptions } from "../../src/index.js";

/** A click: label 1 is on the object, 0 on the background. */
export type Click = Point & { label: 0 | 1 };

/** The prompt of one object. Immutable: the next click creates a new value with the same `id`. */
export interface PromptedObject {
  /** From 0, in the order of the first clicks; stays when other objects are removed. */
  id: number;
  clicks: readonly Click[];
  box: Box | null;
}

interface Step {
  objects: readonly PromptedObject[];
  chosen: number | null;
  nextId: number;
}

const nothing: Step = { objects: [], chosen: null, nextId: 0 };

export class PromptedObjects {
  #now: Step = nothing;
  #before: Step[] = [];

  get all(): readonly PromptedObject[] {
    return this.#now.objects;
  }

  /** The object that gets the next click; null if the next click begins a new object. */
  get chosen(): PromptedObject | null {
    return this.#now.objects.find(({ id }) => id === this.#now.chosen) ?? null;
  }

  /** The `id` that the next new object gets. */
  get nextId(): number {
    return this.#now.nextId;
  }

  get canUndo(): boolean {
    return this.#before.length > 0;
  }

  click(click: Click): void {
    this.#point(({ clicks, box }) => ({ clicks: [...clicks, click], box }));
  }

  /** Sets the box of the object, replacing an earlier box. */
  drag(box: Box): void {
    this.#point(({ clicks }) => ({ clicks, box }));
  }

  /** Begins an object at each point, all in one step, and returns them. None of them is chosen. */
  addAll(points: readonly Point[]): PromptedObject[] {
    const first = this.nextId;
    const added = points.map(({ x, y }, at): PromptedObject => {
      return { id: first + at, clicks: [{ x, y, label: 1 }], box: null };
    });
    this.#go({ objects: [...this.all, ...added], chosen: null, nextId: first + added.length });
    return added;
  }

  /** Chooses an object; with null, the next click begins a new one. `undo()` does not count this as a step. */
  choose(id: number | null): void {
    this.#now = { ...this.#now, chosen: id };
  }

  removeChosen(): void {
    const { chosen } = this;
    if (chosen === null) return;
    this.#go({ objects: this.all.filter((each) => each !== chosen), chosen: null });
  }

  /** Undoes the last click, box or removal, and chooses its object again. */
  undo(): void {
    this.#now = this.#before.pop() ?? this.#now;
  }

  clear(): void {
    this.#now = nothing;
    this.#before = [];
  }

  #point(change: (object: PromptedObject) => Omit<PromptedObject, "id">): void {
    const { all, chosen, nextId } = this;
    const id = chosen?.id ?? nextId;
    const next = { id, ...change(chosen ?? { id, clicks: [], box: null }) };
    const objects = chosen === null ? [...all, next] : all.map((each) => (each === chosen ? next : each));
    this.#go({ objects, chosen: id, nextId: Math.max(nextId, id + 1) });
  }

  #go(step: Partial<Step>): void {
    this.#before.push(this.#now);
    this.#now = { ...this.#now, ...step };
  }
}

export function promptOf({ clicks, box }: Omit<PromptedObject, "id">): RunOptions {
  return {
    points: clicks.map(({ x, y }) => ({ x, y })),
    labels: clicks.map(({ label }) => label),
    ...(box === null ? {} : { box }),
  };
}
