import { expect, test } from "vitest";
import type { Progress } from "../../src/api/types.js";
import { LoadProgress } from "../../src/session/load-progress.js";

test("a stage counts up to its total and ends when its listener has heard", async () => {
  const heard: Progress[] = [];
  const slow = async (progress: Progress): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    heard.push(progress);
  };
  const stages = new LoadProgress(slow, 30);
  const result = await stages.measure("weights", 10, async (more) => {
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
  await stages.measure("session", 1, () => Promise.resolve());
  expect(heard.map(({ loaded, total, bytesDone }) => [loaded, total, bytesDone])).toEqual([
    [0, 1, 10],
    [1, 1, 10],
  ]);
  expect(stages.timings().weights).toBeGreaterThanOrEqual(0);
});
