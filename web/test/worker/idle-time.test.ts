import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleTime } from "../../src/worker/idle-time.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test("work begins only after a call has ended and two seconds were quiet", async () => {
  const work = vi.fn(async () => true);
  const idle = new IdleTime(work);
  await pass(10_000);
  idle.callStarted();
  idle.callEnded();
  await pass(1900);
  idle.callStarted();
  await pass(10_000);
  expect(work).not.toHaveBeenCalled();
  idle.callEnded();
  await pass(5000);
  expect(work).toHaveBeenCalledTimes(1);
});

test("finished work is not repeated", async () => {
  const work = vi.fn(async () => true);
  const idle = new IdleTime(work);
  for (let calls = 0; calls < 3; calls++) {
    idle.callStarted();
    idle.callEnded();
    await pass(5000);
  }
  expect(work).toHaveBeenCalledTimes(1);
});

test("work that lacks data is tried again at the next quiet times", async () => {
  const work = vi.fn(async () => work.mock.calls.length > 4);
  const over = vi.fn();
  const idle = new IdleTime(work, over);
  for (let calls = 0; calls < 7; calls++) {
    expect(over).toHaveBeenCalledTimes(calls > 4 ? 1 : 0);
    idle.callStarted();
    idle.callEnded();
    await pass(5000);
  }
  expect(work).toHaveBeenCalledTimes(5);
});

test("a call stops the work, which begins again three times in all", async () => {
  const signals: AbortSignal[] = [];
  const idle = new IdleTime((signal) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  for (let calls = 0; calls < 5; calls++) {
    idle.callStarted();
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    idle.callEnded();
    await pass(5000);
  }
  expect(signals).toHaveLength(3);
});

test("work that fails is reported, and not repeated", async () => {
  const reported = vi.spyOn(globalThis, "reportError").mockImplementation(() => {});
  const rejected = vi.fn((event: PromiseRejectionEvent) => event.preventDefault());
  addEventListener("unhandledrejection", rejected);
  const work = vi.fn(() => Promise.reject(new Error("a bug")));
  const over = vi.fn();
  const idle = new IdleTime(work, over);
  for (let calls = 0; calls < 2; calls++) {
    idle.callStarted();
    idle.callEnded();
    await pass(5000);
  }
  vi.useRealTimers();
  await new Promise((resolve) => setTimeout(resolve));
  removeEventListener("unhandledrejection", rejected);
  expect([work.mock.calls.length, over.mock.calls.length, rejected.mock.calls.length]).toEqual([1, 1, 0]);
  expect(reported).toHaveBeenCalledWith(new Error("a bug"));
  reported.mockRestore();
});
