// Something done again and again: how often it ended well, and what is held before and after. `make soak` keeps that.

import { expect, inject, TestRunner } from "vitest";
import { commands } from "vitest/browser";
import type { Held } from "./measured.js";

declare module "vitest/browser" {
  interface BrowserCommands {
    /** Bytes of memory of its own that Firefox's processes of pages hold. */
    pageMemory(): Promise<number>;
  }
}

/** What a soak is: a row of the table in docs/soak.md. */
export interface Soak {
  what: string;
  times: number;
  ended: string;
  /** Bytes before and after each part of the times, which are thirds where there are no more. */
  heap: number[];
  /** What the worker holds; the same before and after. Null where every turn has workers of its own. */
  held: Held | null;
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

/** What is done so many times, each of which may leave `each` bytes: the browser's and the test runner's records of it. */
interface Endured {
  what: string;
  times: number;
  each: number;
  /** How each of them ends. */
  ended: string;
}

const WINDOWS = 3;
/** Where memory grew in each of these, more follow: that of Firefox comes and goes by tens of megabytes, what leaks only comes. */
const MOST_WINDOWS = 6;
/** Milliseconds in which a worker that was ended is gone. Chromium waits for one a minute, where it is asked for memory earlier. */
const GONE = 3000;
const { userAgent } = navigator;
export const isFirefox = userAgent.includes("Firefox/");

/**
 * Bytes after a garbage collection. Chromium: of JavaScript, this page's and its workers', the largest of five
 * readings, of which up to one in four is 2.1 MB too small, even when nothing runs between two of them. Firefox, whose
 * pages cannot ask: of the processes of pages, the smallest of three readings.
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

/** The page is the test runner's too, whose heap comes and goes by more than a few turns leave: many turns show more. */
function slackOf(each: number): number {
  return (isFirefox ? 4_000_000 : 150_000) + 15 * each;
}

/** Takes turns in three windows or more, and fails where the heap grows with every turn: in each of them, that is. */
export async function expectFlat(
  { what, times, each, ended }: Endured,
  turn: (number: number) => Promise<void>,
  held: (() => Promise<Held>) | null = null,
): Promise<void> {
  const before = (await held?.()) ?? null;
  const settled = async (): Promise<number> => {
    if (held === null) await new Promise((resolve) => setTimeout(resolve, GONE));
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
  const after = (await held?.()) ?? null;
  const browser = /(?:Firefox|Chrome)\/\d+/
    .exec(userAgent)?.[0]
    .replace("Chrome", "Chromium")
    .replace("/", " ");
  const row: Soak = {
    what,
    times: number,
    ended,
    heap: sizes,
    held: after,
    browser: browser ?? "",
    adapter: await adapterName(),
  };
  const meta = TestRunner.getCurrentTest()?.meta;
  if (meta !== undefined) meta.soak = [...(meta.soak ?? []), row];
  const told = grown()
    .map((bytes) => Math.round(bytes / 1000))
    .join(", ");
  console.info(
    `${what}: ${number} times, in ${sizes.length - 1} parts, leave ${told} kB more than ${sizes[0]} B`,
  );
  expect(sizes[0]).toBeGreaterThan(100_000);
  expect(after).toEqual(before);
  // Something with a bound fills up in the first two thirds of 1,000 runs: docs/soak.md.
  expect(Math.min(...grown())).toBeLessThan(slack);
}

/** What a GPU that is lost so many times is recorded as; each loss ends a worker and starts another. */
export function loss(where: string, ended: string): Endured {
  return { what: `GPU lost ${where}`, times: inject("times"), each: 20_000, ended };
}

async function adapterName(): Promise<string> {
  const info = (await navigator.gpu?.requestAdapter())?.info;
  return info?.description || info?.vendor || "";
}
