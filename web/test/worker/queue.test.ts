import { expect, test } from "vitest";
import { Queue } from "../../src/worker/queue.js";

test("calls run one after another, in order", async () => {
  const queue = new Queue();
  const seen: string[] = [];
  const work = (name: string, delay: number) => async (): Promise<void> => {
    seen.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, delay));
    seen.push(`${name} ends`);
  };
  await Promise.all([queue.add(work("slow", 20)), queue.add(work("fast", 0))]);
  expect(seen).toEqual(["slow begins", "slow ends", "fast begins", "fast ends"]);
});

test("a failure reaches its own caller only", async () => {
  const queue = new Queue();
  const bad = queue.add(() => Promise.reject(new Error("bad")));
  const good = queue.add(() => Promise.resolve("good"));
  await expect(bad).rejects.toThrow("bad");
  await expect(good).resolves.toBe("good");
});
