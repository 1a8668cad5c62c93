import { afterEach, describe, expect, inject, test } from "vitest";
import type { Model, Result, StreamedFrame } from "../../src/index.js";
import { backends, hasWebgpu, loadTiny } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { type Film, film } from "../support/playing-video.js";

const films: Film[] = [];

afterEach(() => {
  for (const each of films.splice(0)) each.end();
});

async function playing(): Promise<HTMLVideoElement> {
  const made = await film();
  films.push(made);
  return made.video;
}

/** Streams until there are so many results, and stops. */
async function results(model: Model, video: HTMLVideoElement, wanted: number): Promise<Streamed[]> {
  const got: Streamed[] = [];
  const stream = model.stream(video, (result, frame) => {
    got.push({ result, frame });
    if (got.length === wanted) stream.stop();
  });
  await stream.finished;
  return got;
}

interface Streamed {
  result: Result;
  frame: StreamedFrame;
}

describe.each(backends)("a stream on %s", (backend) => {
  test("gives results of later and later frames, with their timings", async () => {
    const model = await loadTiny({ backend }, "conv.json");
    const got = await results(model, await playing(), 4);
    expect(got.map(({ result }) => [result.kind, result.backend])).toEqual(
      Array(4).fill(["tensor", backend]),
    );
    const times = got.map(({ frame }) => frame.time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(new Set(times).size).toBe(4);
    for (const { result, frame } of got) {
      expect(result.timings.inference).toBeGreaterThan(0);
      expect(frame.latency).toBeGreaterThanOrEqual(result.timings.inference);
    }
  });
});

describe("a stream", () => {
  test("drops the frames that come while its listener is busy, and counts them", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const frames: StreamedFrame[] = [];
    let busy = 0;
    const stream = model.stream(await playing(), async (_, frame) => {
      expect(++busy).toBe(1);
      frames.push(frame);
      await new Promise((resolve) => setTimeout(resolve, 400));
      busy--;
      if (frames.length === 3) stream.stop();
    });
    await stream.finished;
    expect(frames[0]?.dropped).toBe(0);
    for (const { dropped } of frames.slice(1)) expect(dropped).toBeGreaterThan(2);
  });

  test("of a video that stands still gives its frame", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const video = await playing();
    video.pause();
    expect(await results(model, video, 1)).toMatchObject([{ result: { width: 64, height: 48 } }]);
  });

  test("of a video that is played later counts no frame from before it began", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const video = await playing();
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(video.getVideoPlaybackQuality().totalVideoFrames).toBeGreaterThan(5);
    video.pause();
    const dropped: number[] = [];
    const stream = model.stream(video, async (_, frame) => {
      dropped.push(frame.dropped);
      if (dropped.length === 1) await video.play();
      else stream.stop();
    });
    await stream.finished;
    expect(dropped).toEqual([0, 0]);
  });

  test("ends with the video", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const video = await playing();
    const timer = setInterval(() => video.dispatchEvent(new Event("ended")), 200);
    await model.stream(video, () => {}).finished;
    clearInterval(timer);
  });

  test("ends by its signal, also before it began", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const controller = new AbortController();
    let got = 0;
    const stop = (): void => {
      got += 1;
      controller.abort();
    };
    await model.stream(await playing(), stop, { signal: controller.signal }).finished;
    await model.stream(await playing(), stop, { signal: controller.signal }).finished;
    expect(got).toBe(1);
  });

  test("passes on what its listener throws, and what a run rejects with", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const thrown = model.stream(await playing(), () => {
      throw new Error("the listener's own");
    });
    await expect(thrown.finished).rejects.toThrow("the listener's own");
    const wrong = model.stream(await playing(), () => {}, { iou: 0.5 });
    await expect(wrong.finished).rejects.toMatchObject({ code: "invalid-option" });
    const gone = model.stream(await playing(), () => void model.dispose());
    await expect(gone.finished).rejects.toMatchObject({ code: "disposed" });
    const video = await playing();
    expect(() => model.stream(video, () => {})).toThrow(expect.objectContaining({ code: "disposed" }));
  });

  test("of what is no video is refused", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const refused = expect.objectContaining({ code: "invalid-image", fix: expect.stringContaining("video") });
    expect(() => model.stream(new Image() as never, () => {})).toThrow(refused);
  });
});

describe.each(backends)("a stream of a model with state on %s", (backend) => {
  test("has a state of its own, which starts from zeros where the video gets another source", async () => {
    const model = await loadTiny({ backend }, "recurrent.json");
    const [video, other] = [await playing(), await playing()];
    const steps: (number | undefined)[] = [];
    const stream = model.stream(video, () => {
      steps.push(stream.state?.steps);
      if (steps.length === 3) video.srcObject = other.srcObject;
      if (steps.length === 3) void video.play();
      if (steps.length === 6) stream.stop();
    });
    await stream.finished;
    expect(steps.slice(0, 3)).toEqual([1, 2, 3]);
    expect(steps.slice(3)).toContain(1);
    expect(steps[5]).toBeLessThan(4);
    expect(model.state?.steps).toBe(0);
    expect(model.warnings).toEqual([]);
    await expect(model.run(video, { state: stream.state ?? undefined })).rejects.toMatchObject({
      code: "invalid-option",
    });
  });
});

describe.runIf(hasWebgpu)("a GPU device that is lost in a stream", () => {
  test("is requested again, and the stream goes on", {
    timeout: 60_000 + inject("times") * 20_000,
  }, async () => {
    for (let turn = 0; turn < inject("times"); turn++) {
      await losing({}, async (started) => {
        const model = await loadTiny({ backend: "webgpu" }, "conv.json");
        const video = await playing();
        await countCalls();
        await results(model, video, 2);
        await loseAt(Math.floor(((await countCalls()) * turn) / inject("times")));
        expect(await results(model, video, 4)).toHaveLength(4);
        expect([started(), model.backend]).toEqual([2, "webgpu"]);
        expect(model.warnings).toMatchObject([{ code: "device-lost" }]);
        await model.dispose();
      });
    }
  });
});
