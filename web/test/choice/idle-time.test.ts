import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { IdleTime } from "../../src/choice/idle-time.js";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

test("nothing begins before a call has ended and two seconds were quiet", async () => {
  const work = vi.fn(async () => {});
  const idle = new IdleTime(work);
  await pass(10_000);
  idle.began();
  idle.ended();
  await pass(1900);
  idle.began();
  await pass(10_000);
  expect(work).not.toHaveBeenCalled();
  idle.ended();
  await pass(5000);
  expect(work).toHaveBeenCalledTimes(1);
});

test("work that is done is not done again", async () => {
  const work = vi.fn(async () => {});
  const idle = new IdleTime(work);
  for (let calls = 0; calls < 3; calls++) {
    idle.began();
    idle.ended();
    await pass(5000);
  }
  expect(work).toHaveBeenCalledTimes(1);
});

test("a call stops the work, which begins again three times in all", async () => {
  const signals: AbortSignal[] = [];
  const idle = new IdleTime((signal) => {
    signals.push(signal);
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));
  });
  for (let calls = 0; calls < 5; calls++) {
    idle.began();
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    idle.ended();
    await pass(5000);
  }
  expect(signals).toHaveLength(3);
});
