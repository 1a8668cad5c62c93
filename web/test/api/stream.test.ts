import { afterEach, describe, expect, inject, onTestFinished, test } from "vitest";
import type { Model, Result, StreamedFrame, StreamOptions } from "../../src/index.js";
import { Stream } from "../../src/index.js";
import { StreamTracks } from "../../src/tracking/stream-tracks.js";
import { trackSettings } from "../../src/tracking/track-options.js";
import { backends, bundle, hasWebgpu, keepEngine, loadTiny, runtime } from "../support/bundle.js";
import { countCalls, loseAt, losing } from "../support/device-loss.js";
import { type Film, film } from "../support/playing-video.js";
import { expectFlat, isFirefox, loss } from "../support/soak.js";
import { startTrackingWorker } from "../support/tracking-worker.js";

const films: Film[] = [];

afterEach(() => {
  for (const each of films.splice(0)) each.end();
});

async function playing(): Promise<HTMLVideoElement> {
  const made = await film();
  films.push(made);
  return made.video;
}

/** Streams until there are this many results, then stops. */
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
  keepEngine("wasm");

  test("drops and counts the frames that arrive while its listener is busy", async () => {
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

  test("gives no negative latency if a frame's clock is ahead", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const video = await playing();
    const request = video.requestVideoFrameCallback.bind(video);
    video.requestVideoFrameCallback = (callback) =>
      request((shown, metadata) => callback(shown + 1e7, metadata));
    for (const { frame } of await results(model, video, 2)) expect(frame.latency).toBe(0);
  });

  test("gives the frame of a paused video", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const video = await playing();
    video.pause();
    expect(await results(model, video, 1)).toMatchObject([{ result: { width: 64, height: 48 } }]);
  });

  // Firefox reports no frame count for a canvas stream.
  test.skipIf(isFirefox)("does not count frames from before the video was played", async () => {
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

  test("rejects if the video cannot be played, before or after its first frame", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const refused = { code: "unreadable-image", message: expect.stringMatching(/cannot be played: ./) };
    const broken = document.createElement("video");
    broken.src = URL.createObjectURL(new Blob(["no video"]));
    await expect(model.stream(broken, () => {}).finished).rejects.toMatchObject(refused);
    await expect(model.stream(broken, () => {}).finished).rejects.toMatchObject(refused);
    const video = await playing();
    const stream = model.stream(video, () => {
      if (video.srcObject !== null) Object.assign(video, { srcObject: null, src: broken.src });
    });
    await expect(stream.finished).rejects.toMatchObject(refused);
  });

  test("ends by its signal, even before it began", async () => {
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

  test("rejects with its listener's errors and with a run's errors", async () => {
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

  test("with `track` gives its detections the same ids in all frames", async () => {
    const model = await loadTiny({ backend: "wasm" }, "detect.json");
    const ids: (number | undefined)[][] = [];
    const on = (result: Result): void => {
      if (result.kind === "detect") ids.push(result.detections.map(({ track }) => track));
    };
    const options = { track: { highScore: 0.1, newScore: 0.1 } };
    const stream = model.stream(
      await playing(),
      async (result) => {
        on(result);
        if (ids.length === 3) stream.stop();
      },
      options,
    );
    await stream.finished;
    expect(ids).toEqual(Array(3).fill([1, 2]));
    on((await results(model, await playing(), 1))[0]?.result as Result);
    expect(ids[3]).toEqual([undefined, undefined]);
  });

  test("resets its tracks on reset(), and for a video of another size", async () => {
    const ids: (number | undefined)[] = [];
    const RESET = 2;
    const WIDER = 4;
    const run = (): Promise<Result> => {
      const x1 = ids.length * 500; // at a place where no track expects it
      const detection = { box: { x1, y1: 0, x2: x1 + 20, y2: 40 }, score: 0.9, classIndex: 0, label: "cat" };
      const [width, height] = [ids.length < WIDER ? 4000 : 8000, 480];
      return Promise.resolve({ kind: "detect", width, height, detections: [detection] } as unknown as Result);
    };
    const on = async (result: Result): Promise<void> => {
      if (result.kind === "detect") ids.push(result.detections[0]?.track);
      if (ids.length === RESET) await stream.reset();
      if (ids.length === 6) stream.stop();
    };
    const tracks = new StreamTracks(trackSettings({}), startTrackingWorker);
    const stream = new Stream(await playing(), run, on, undefined, { state: null, own: false, tracks });
    await stream.finished;
    expect(ids).toEqual([1, undefined, 1, undefined, 1, undefined]);
  });

  test("gives results in progress at a reset their old tracks, and begins with the next frame", async () => {
    const ids: (number | undefined)[] = [];
    let frames = 0;
    const run = async (): Promise<Result> => {
      frames++;
      const x1 = frames < 3 ? 0 : 3000;
      if (frames === 2) await stream.reset();
      const detection = { box: { x1, y1: 0, x2: x1 + 20, y2: 40 }, score: 0.9, classIndex: 0, label: "cat" };
      return { kind: "detect", width: 4000, height: 480, detections: [detection] } as unknown as Result;
    };
    const on = (result: Result): void => {
      if (result.kind === "detect") ids.push(result.detections[0]?.track);
      if (ids.length === 3) stream.stop();
    };
    const tracks = new StreamTracks(trackSettings({}), startTrackingWorker);
    const stream = new Stream(await playing(), run, on, undefined, { state: null, own: false, tracks });
    await stream.finished;
    expect(ids).toEqual([1, 1, 1]);
  });

  test("keeps its tracks in a separate worker, which ends with it", async () => {
    const model = await loadTiny({ backend: "wasm" }, "detect.json");
    const original = globalThis.Worker;
    const [names, ended]: [(string | undefined)[], (string | undefined)[]] = [[], []];
    globalThis.Worker = class extends original {
      readonly #name: string | undefined;
      constructor(url: string | URL, options?: WorkerOptions) {
        super(url, options);
        this.#name = options?.name;
        names.push(this.#name);
      }
      override terminate(): void {
        ended.push(this.#name);
        super.terminate();
      }
    };
    onTestFinished(() => {
      globalThis.Worker = original;
    });
    let frames = 0;
    const on = (): void => {
      if (++frames === 2) stream.stop();
    };
    const stream = model.stream(await playing(), on, { track: true });
    await stream.finished;
    expect(names).toEqual(["webbuild-tracking"]);
    expect(ended).toContain("webbuild-tracking");
    await results(model, await playing(), 1);
    expect(names).toHaveLength(1);
  });

  test("gives no further result if it is stopped during tracking", async () => {
    const run = (): Promise<Result> =>
      Promise.resolve({ kind: "detect", width: 640, height: 480, detections: [] } as unknown as Result);
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const start = (): Worker => {
      const worker = startTrackingWorker();
      worker.postMessage = isAsked; // the worker neither hears nor answers
      return worker;
    };
    const tracks = new StreamTracks(trackSettings({}), start);
    let got = 0;
    const on = (): void => void got++;
    const stream = new Stream(await playing(), run, on, undefined, { state: null, own: false, tracks });
    await asked;
    await new Promise((resolve) => setTimeout(resolve, 200));
    stream.stop();
    await stream.finished;
    expect(got).toBe(0);
  });

  test("keeps the same tracks after a pause, and gives nothing meanwhile", async () => {
    const model = await loadTiny({ backend: "wasm" }, "detect.json");
    const video = await playing();
    const ids: (number | undefined)[][] = [];
    const on = (result: Result): void => {
      if (result.kind === "detect") ids.push(result.detections.map(({ track }) => track));
      if (ids.length === 2) video.pause();
      if (ids.length === 5) stream.stop();
    };
    const stream = model.stream(video, on, { track: { highScore: 0.1, newScore: 0.1 } });
    await expect.poll(() => video.paused).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const meanwhile = ids.length;
    expect(meanwhile).toBeLessThan(5); // the result in progress is given
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(ids).toHaveLength(meanwhile);
    await video.play();
    await stream.finished;
    expect(ids).toEqual(Array(5).fill([1, 2]));
  });

  test("resets its tracks if the video changes its size, without losing a frame", async () => {
    const model = await loadTiny({ backend: "wasm" }, "detect.json");
    const made = await film();
    films.push(made);
    const seen: { width: number; ids: (number | undefined)[] }[] = [];
    const on = (result: Result): void => {
      if (result.kind !== "detect") return;
      seen.push({ width: result.width, ids: result.detections.map(({ track }) => track) });
      if (seen.length === 2) made.resize(96, 48);
      if (seen.filter(({ width }) => width === 96).length === 2) stream.stop();
    };
    const stream = model.stream(made.video, on, { track: { highScore: 0.1, newScore: 0.1 } });
    await stream.finished;
    expect(seen.map(({ width }) => width)).toEqual(seen.map(({ width }) => width).toSorted((a, b) => a - b));
    expect(seen.at(0)).toEqual({ width: 64, ids: [1, 2] });
    expect(seen.at(-1)).toEqual({ width: 96, ids: [1, 2] });
  });

  test("refuses `track` where a result holds no boxes, and settings that there are none of", async () => {
    const video = await playing();
    const boxes = await loadTiny({ backend: "wasm" }, "detect.json");
    const refused = (track: unknown): string => {
      try {
        boxes.stream(video, () => {}, { track } as StreamOptions).stop();
      } catch (error) {
        expect(error).toMatchObject({ code: "invalid-option", fix: expect.stringMatching(/./) });
        return (error as Error).message;
      }
      throw new Error("not refused");
    };
    expect(refused({ minScore: 0.1 })).toContain("track.minScore: there is no such option");
    expect(refused({ highScore: 2 })).toContain("from 0 to 1");
    expect(refused({ keepFrames: 1.5 })).toContain("whole number");
    expect(refused({ lowScore: 0.6 })).toContain("above highScore");
    expect(refused("yes")).toContain("wanted true, false or an object");
    const tensors = await loadTiny({ backend: "wasm" }, "conv.json");
    const { finished } = tensors.stream(video, () => {}, { track: true });
    const noBoxes = { code: "invalid-option", message: expect.stringContaining("hold no boxes") };
    await expect(finished).rejects.toMatchObject(noBoxes);
    await expect(boxes.run(video, { track: true } as object)).rejects.toMatchObject({
      code: "invalid-option",
    });
  });

  test("refuses a source that is no video", async () => {
    const model = await loadTiny({ backend: "wasm" }, "conv.json");
    const refused = expect.objectContaining({ code: "invalid-image", fix: expect.stringContaining("video") });
    expect(() => model.stream(new Image() as never, () => {})).toThrow(refused);
  });
});

describe.each(backends)("a stream of a model with state on %s", (backend) => {
  test("has its own state, which is reset to zeros for another video source", async () => {
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
  test("is requested again, and the stream goes on", { tags: ["soak"] }, async () => {
    await expectFlat(loss("in a stream", "stream goes on"), async (turn) => {
      await losing({}, async (started) => {
        const model = await runtime.load(bundle("conv.json"), { backend: "webgpu", cache: false });
        const video = await playing();
        // The first results prepare what the later ones use.
        await results(model, video, 2);
        await countCalls();
        await results(model, video, 2);
        await loseAt(Math.floor(((await countCalls()) * turn) / inject("times")));
        expect(await results(model, video, 4)).toHaveLength(4);
        expect([started(), model.backend]).toEqual([2, "webgpu"]);
        expect(model.warnings).toMatchObject([{ code: "device-lost" }]);
        await model.dispose();
        for (const each of films.splice(0)) each.end();
      });
    });
  });
});
