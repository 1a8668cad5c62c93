// The peak of memory, valid only if no measurement is missing.

import { expect, test, vi } from "vitest";
import { heap, MemoryPeak } from "../../../webbuild/bench/page/memory.js";
import { answer } from "../../../webbuild/browser/page/calls.js";

/** Gives these measurements one after another, then never again. */
async function watched(...readings: (number | null | Error)[]): Promise<number | null> {
  const left = [...readings];
  const peak = new MemoryPeak(async () => {
    const next = left.shift();
    if (next === undefined) return new Promise<number | null>(() => {});
    if (next instanceof Error) throw next;
    return next;
  });
  peak.watch();
  await new Promise((resolve) => setTimeout(resolve, 10));
  return peak.stop();
}

test("the peak is the largest measurement", async () => {
  expect(await watched(10, 30, 20)).toBe(30);
});

test("there is no peak if a measurement is missing", async () => {
  expect(await watched(10, null, 20)).toBeNull();
});

test("there is no peak if a measurement fails", async () => {
  expect(await watched(10, new Error("it is not allowed here"))).toBeNull();
});

test("there is no peak before the first measurement", async () => {
  expect(await watched()).toBeNull();
});

test("there is no peak if the browser has the function and refuses", async () => {
  vi.stubGlobal("crossOriginIsolated", true);
  const refuse = async (): Promise<never> => {
    throw new DOMException("is not available", "SecurityError");
  };
  vi.stubGlobal("performance", { measureUserAgentSpecificMemory: refuse });
  expect(await heap()).toBeNull();
  vi.unstubAllGlobals();
});

test("a browser error gets the code `uncaught`", async () => {
  const fail = async (): Promise<never> => {
    throw new DOMException("is not available", "SecurityError");
  };
  answer({ fail });
  const { webbuild } = globalThis as unknown as { webbuild: (call: object) => Promise<{ error: object }> };
  expect((await webbuild({ command: "fail" })).error).toMatchObject({
    code: "uncaught",
    message: "is not available",
  });
});
