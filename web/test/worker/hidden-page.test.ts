// A hidden page: timers fire once a second, no frame is drawn, no video gives frames, and it is never idle.

import { afterEach, describe, expect, inject, onTestFinished, test, vi } from "vitest";
import { backends, bundle, loadTiny, picture, runtime } from "../support/bundle.js";
import { film } from "../support/playing-video.js";
import { expectFlat } from "../support/soak.js";

const times = inject("times");
const SECOND = 1000;

afterEach(async () => {
  await Promise.all((await caches.keys()).map((name) => caches.delete(name)));
});

interface Hidden {
  show(): void;
}

/** Hides the page until it is shown, or the test ends. */
function hide(): Hidden {
  const { setTimeout, setInterval } = globalThis;
  const slow = (time = 0): number => Math.ceil(Math.max(time, 1) / SECOND) * SECOND;
  const waiting: (() => void)[] = [];
  vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
  vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  vi.spyOn(globalThis, "setTimeout").mockImplementation(((work: () => void, time?: number) =>
    setTimeout(work, slow(time))) as typeof setTimeout);
  vi.spyOn(globalThis, "setInterval").mockImplementation(((work: () => void, time?: number) =>
    setInterval(work, slow(time))) as typeof setInterval);
  vi.spyOn(globalThis, "requestAnimationFrame").mockImplementation((work) =>
    waiting.push(() => requestAnimationFrame(work)),
  );
  const { requestVideoFrameCallback } = HTMLVideoElement.prototype;
  vi.spyOn(HTMLVideoElement.prototype, "requestVideoFrameCallback").mockImplementation(function (
    this: HTMLVideoElement,
    work,
  ) {
    return waiting.push(() => requestVideoFrameCallback.call(this, work));
  });
  document.dispatchEvent(new Event("visibilitychange"));
  const show = (): void => {
    vi.restoreAllMocks();
    document.dispatchEvent(new Event("visibilitychange"));
    for (const go of waiting.splice(0)) go();
  };
  onTestFinished(show);
  return { show };
}

describe.each(backends)("in a page that is hidden, on %s,", (backend) => {
  test("models load, run and go as elsewhere", { tags: ["soak"] }, async () => {
    const image = await picture("upright.png");
    const seen = await loadTiny({ backend }, "golden.json");
    const { timings: _, ...right } = await seen.run(image);
    const soak = { what: `page hidden, ${backend}`, times, each: 20_000, ended: "loaded, same answer" };
    await expectFlat(soak, async () => {
      const { show } = hide();
      const model = await runtime.load(bundle("golden.json"), { backend, cache: false });
      const { timings: __, ...answer } = await model.run(image);
      expect(answer).toEqual(right);
      await model.dispose();
      show();
    });
  });

  test("a stream waits, and continues when the page is visible", async () => {
    const model = await loadTiny({ backend }, "conv.json");
    const { video, end } = await film();
    onTestFinished(end);
    let got = 0;
    const stream = model.stream(video, () => void got++);
    await expect.poll(() => got).toBeGreaterThan(1);
    const { show } = hide();
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    const before = got;
    await new Promise((resolve) => setTimeout(resolve, SECOND));
    expect(got).toBe(before);
    show();
    await expect.poll(() => got).toBeGreaterThan(before + 1);
    stream.stop();
    await stream.finished;
  });
});

test("backends are not compared in a hidden page, only once it is visible", { timeout: 60_000 }, async () => {
  const model = await runtime.load(bundle("conv.json"));
  onTestFinished(() => model.dispose());
  const image = await picture("upright.png");
  const { show } = hide();
  await model.run(image);
  await new Promise((resolve) => setTimeout(resolve, 6 * SECOND));
  expect(model.info().choice).toMatchObject({ times: null, reason: /is idle/ });
  show();
  await model.run(image);
  await expect.poll(() => model.info().choice.reason, { timeout: 40_000 }).not.toMatch(/is idle/);
});
