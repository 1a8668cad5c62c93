// Repeated actions: how often they succeed, and the memory before and after. `make soak` records both.

import { expect, inject, TestRunner } from "vitest";
import { commands } from "vitest/browser";
import type { MemoryUse } from "./measured.js";

declare module "vitest/browser" {
  interface BrowserCommands {
    /** Bytes of private memory of Firefox's page processes. */
    pageMemory(): Promise<number>;
  }
}

/** A soak: a row of the table in docs/soak.md. */
export interface Soak {
  what: string;
  times: number;
  ended: string;
  /** Bytes before the first and after each part of the repetitions: thirds, unless there are more. */
  heap: number[];
  /** The worker's memory, before and after. Null if every repetition has its own workers. */
  memory: MemoryUse | null;
  browser: string;
  adapter: string;
}

declare module "vitest" {
  interface TaskMeta {
    soak?: Soak[];
  }
}

type Measuring = Performance & { measureUserAgentSpecificMemory?(): Promise<{ bytes: number }> };
declare const TestUtils: { gc(): Promise<void> } | undefined;

/** An action to repeat. Each may leave `each` bytes: the browser's and the test runner's records of it. */
interface Endured {
  what: string;
  times: number;
  each: number;
  /** The outcome of each repetition. */
  ended: string;
}

const WINDOWS = 3;
/** If memory grew in each of these parts, more follow: Firefox's fluctuates by tens of megabytes, a leak only grows. */
const MOST_WINDOWS = 6;
/** Milliseconds until an ended worker is gone. Chromium waits a minute for one if memory is measured earlier. */
const GONE = 3000;
const { userAgent } = navigator;
export const isFirefox = userAgent.includes("Firefox/");

/**
 * Returns bytes after a garbage collection. Chromium: JavaScript of this page and its workers, the largest of five
 * readings, of which up to one in four is 2.1 MB too small, even when nothing runs between two of them. Firefox, whose
 * pages cannot measure: the page processes, the smallest of three readings.
 */
export async function heap(): Promise<number> {
  const { measureUserAgentSpecificMemory: measure } = performance as Measuring;
  const sizes: number[] = [];
  if (measure !== undefined)
    for (let reading = 0; reading < 5; reading++) sizes.push((await measure.call(performance)).bytes);
  for (let reading = 0; measure === undefined && reading < 3; reading++) {
    if (typeof TestUtils !== "undefined") await TestUtils.gc();
    sizes.push(await commands.pageMemory());
  }
  return measure === undefined ? Math.min(...sizes) : Math.max(...sizes);
}

/** The page's heap includes the test runner's, which fluctuates more than a few repetitions leave: many are needed. */
function slackOf(each: number): number {
  return (isFirefox ? 4_000_000 : 150_000) + 15 * each;
}

/** Repeats in three parts or more, and fails if the heap grows in each of them. */
export async function expectFlat(
  { what, times, each, ended }: Endured,
  turn: (number: number) => Promise<void>,
  memory: (() => Promise<MemoryUse>) | null = null,
): Promise<void> {
  const before = (await memory?.()) ?? null;
  const settled = async (): Promise<number> => {
    if (memory === null) await new Promise((resolve) => setTimeout(resolve, GONE));
    return heap();
  };
  const sizes = [await settled()];
  const grown = (): number[] => sizes.slice(1).map((size, index) => size - (sizes[index] ?? 0));
  const slack = slackOf(each) + (times / WINDOWS) * each;
  let number = 0;
  for (
    let window = 0;
    window < MOST_WINDOWS && (window < WINDOWS || Math.min(...grown()) >= slack);
    window++
  ) {
    for (; number < (times * (window + 1)) / WINDOWS; number++) await turn(number);
    sizes.push(await settled());
  }
  const after = (await memory?.()) ?? null;
  const browser = /(?:Firefox|Chrome)\/\d+/
    .exec(userAgent)?.[0]
    .replace("Chrome", "Chromium")
    .replace("/", " ");
  const row: Soak = {
    what,
    times: number,
    ended,
    heap: sizes,
    memory: after,
    browser: browser ?? "",
    adapter: await adapterName(),
  };
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta !== undefined) meta.soak = [...(meta.soak ?? []), row];
  const growth = grown()
    .map((bytes) => Math.round(bytes / 1000))
    .join(", ");
  console.info(
    `${what}: ${number} times, in ${sizes.length - 1} parts, leave ${growth} kB more than ${sizes[0]} B`,
  );
  expect(sizes[0]).toBeGreaterThan(100_000);
  expect(after).toEqual(before);
  // A bounded cache fills up in the first two thirds of 1,000 runs: docs/soak.md.
  expect(Math.min(...grown())).toBeLessThan(slack);
}

/** The record for repeated GPU losses; each loss ends a worker and starts another. */
export function loss(where: string, ended: string): Endured {
  return { what: `GPU lost ${where}`, times: inject("times"), each: 20_000, ended };
}

async function adapterName(): Promise<string> {
  const info = (await navigator.gpu?.requestAdapter())?.info;
  return info?.description || info?.vendor || "";
}
