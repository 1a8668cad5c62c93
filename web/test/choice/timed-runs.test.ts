import { describe, expect, test } from "vitest";
import {
  betterBackend,
  ROUNDS,
  type RunTimes,
  type TimedRun,
  timeBackends,
} from "../../src/choice/timed-runs.js";

/** Runs that take these milliseconds, one after the other. */
const clock = (...times: number[]): TimedRun => {
  const left = [...times];
  return async () => left.shift() ?? Number.NaN;
};
const always = (time: number): TimedRun => clock(...Array.from({ length: ROUNDS }, () => time));

describe("timed runs", () => {
  test("are five for each backend if they are similar, else three", async () => {
    const alike = await timeBackends("webgpu", { webgpu: always(20), wasm: always(15) });
    expect([alike.webgpu.length, alike.wasm.length]).toEqual([ROUNDS, ROUNDS]);
    const apart = await timeBackends("webgpu", { webgpu: always(90), wasm: always(10) });
    expect([apart.webgpu.length, apart.wasm.length]).toEqual([3, 3]);
  });

  test.each([-5000, 0])("are five for each backend if the clock gave %s for one run", async (jump) => {
    const times = await timeBackends("webgpu", { webgpu: always(20), wasm: clock(jump, 2, 40, 40, 40) });
    expect([times.webgpu.length, times.wasm.length]).toEqual([ROUNDS, ROUNDS]);
    expect(betterBackend("webgpu", times, "latency", 4)).toBe("webgpu");
  });

  test("alternate, so that a slowdown of the machine affects both", async () => {
    const order: string[] = [];
    const run = (name: string) => async () => order.push(name);
    await timeBackends("wasm", { webgpu: run("webgpu"), wasm: run("wasm") });
    expect(order.slice(0, 4)).toEqual(["wasm", "webgpu", "wasm", "webgpu"]);
  });
});

describe("the better backend", () => {
  const times = (webgpu: number[], wasm: number[]): RunTimes => ({ webgpu, wasm });

  test.each([
    ["a slow GPU", times([90, 95, 92, 99, 91], [10, 11, 10, 12, 10]), "wasm"],
    ["a slow processor", times([9, 8, 9, 8, 9], [200, 210, 190, 205, 220]), "webgpu"],
    ["hardly any difference", times([20, 20, 20, 20, 20], [18, 18, 18, 18, 18]), "webgpu"],
    [
      "one run of the GPU that something else held up",
      times([20, 20, 400, 20, 20], [19, 19, 19, 19, 19]),
      "webgpu",
    ],
    ["a run in which the machine slept", times([20, 8e6, 20, 20, 20], [5, 5, 5, 5, 5]), "wasm"],
    ["one in which the clock went back", times([20, 20, 20, 20, 20], [-8e6, 19, 19, 19, 19]), "webgpu"],
    ["one fast run by accident", times([20, 20, 20, 20, 20], [2, 40, 40, 40, 40]), "webgpu"],
    ["a machine so busy that runs tell nothing", times([9, 90, 30, 8, 70], [5, 60, 20, 80, 10]), "webgpu"],
    ["a clock that stands", times([0, 0, 0, 0, 0], [0, 0, 0, 0, 0]), "webgpu"],
    ["no times", times([], []), "webgpu"],
  ])("with %s", (_, measured, expected) => {
    expect(betterBackend("webgpu", measured, "latency", 4)).toBe(expected);
  });

  test("is stable: similar backends keep their choice", () => {
    const measured = times([20, 21, 19, 20, 22], [18, 19, 18, 20, 19]);
    expect(betterBackend("webgpu", measured, "latency", 1)).toBe("webgpu");
    expect(betterBackend("wasm", measured, "latency", 1)).toBe("wasm");
  });

  test("counts every thread against the battery", () => {
    const measured = times([30, 30, 30, 30, 30], [15, 15, 15, 15, 15]);
    expect(betterBackend("webgpu", measured, "latency", 4)).toBe("wasm");
    expect(betterBackend("webgpu", measured, "battery", 4)).toBe("webgpu");
    expect(betterBackend("wasm", measured, "battery", 4)).toBe("webgpu");
  });
});
