import { expect, test } from "vitest";
import type { Progress } from "../../src/api/types.js";
import { LoadProgress } from "../../src/session/load-progress.js";

test("a stage counts up to its total, and its end waits for the listener", async () => {
  const heard: Progress[] = [];
  const slow = async (progress: Progress): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    heard.push(progress);
  };
  const stages = new LoadProgress(slow);
  stages.expect(20, 10);
  const more = stages.counter("weights");
  const result = await stages.measure("weights", async () => {
    for (const count of [4, 0, 6]) more(count);
    return "done";
  });
  expect(result).toBe("done");
  expect(heard.map(({ loaded }) => loaded)).toEqual([0, 4, 10]);
  expect(heard.map(({ bytesDone, bytesTotal }) => [bytesDone, bytesTotal])).toEqual([
    [0, 30],
    [4, 30],
    [10, 30],
  ]);
  heard.length = 0;
  await stages.measure("session", () => Promise.resolve());
  expect(heard.map(({ loaded, total, bytesDone }) => [loaded, total, bytesDone])).toEqual([
    [0, 1, 10],
    [1, 1, 10],
  ]);
  expect(stages.timings().weights).toBeGreaterThanOrEqual(0);
});

test("bytes that arrive before their stage count in the total, and the stage begins with them", async () => {
  const heard: Progress[] = [];
  const stages = new LoadProgress((progress) => void heard.push(progress));
  const [engine, weights] = [stages.counter("engine"), stages.counter("weights")];
  weights(1);
  stages.expect(20, 10);
  await stages.measure("engine", async () => {
    weights(2);
    engine(20);
  });
  weights(3);
  await stages.measure("weights", async () => weights(4));
  const events = heard.map(({ stage, loaded, bytesDone }) => [stage, loaded, bytesDone]);
  expect(events).toEqual([
    ["engine", 0, 1],
    ["engine", 0, 3],
    ["engine", 20, 23],
    ["engine", 20, 26],
    ["weights", 6, 26],
    ["weights", 10, 30],
  ]);
});
