import { describe, expect, onTestFinished, test } from "vitest";
import type { Detection, Result } from "../../src/api/types.js";
import { StreamTracks } from "../../src/tracking/stream-tracks.js";
import { trackSettings } from "../../src/tracking/track-options.js";
import { Tracker } from "../../src/tracking/tracker.js";
import { casesOf } from "../support/conformance.js";
import { parsedLine, type Scene } from "../support/recorded-tracks.js";
import { startTrackingWorker } from "../support/tracking-worker.js";

type Ids = (number | undefined)[];

function frame(detections: readonly Detection[], width = 640): Result {
  return { kind: "detect", width, height: 480, detections: structuredClone(detections) } as Result;
}

function idsOf(result: Result): Ids {
  return "detections" in result ? result.detections.map(({ track }) => track) : [];
}

/** Objects in a row, shifted right by `moved`. */
function row(count: number, moved = 0): Detection[] {
  return Array.from({ length: count }, (_, at) => {
    const x1 = at * 30 + moved;
    return { box: { x1, y1: 0, x2: x1 + 20, y2: 40 }, score: 0.9, classIndex: 0, label: "cat" };
  });
}

function streamTracks(start = startTrackingWorker): (result: Result, resets?: boolean) => Promise<Ids> {
  const tracks = new StreamTracks(trackSettings({}), start);
  onTestFinished(() => tracks.end());
  return async (result, resets = false) => {
    await tracks.update(result, resets);
    return idsOf(result);
  };
}

/** A worker that can be killed; it counts its frames, and calls `onFrame` while each is in transit. */
function watched(onFrame: (count: number, worker: Worker) => void): () => Worker {
  return () => {
    const worker = startTrackingWorker();
    const post = worker.postMessage.bind(worker) as (message: unknown, moved: Transferable[]) => void;
    let count = 0;
    worker.postMessage = (message: unknown, moved: unknown) => {
      post(message, moved as Transferable[]);
      if ("seen" in Object(message)) onFrame(++count, worker);
    };
    return worker;
  };
}

describe("the ids of recorded scenes equal those of the page's Tracker", () => {
  test.each(casesOf<Scene>("tracking"))("%s", async (_, { frames, mot }) => {
    const lines = mot.map(parsedLine);
    const given: number[] = [];
    const update = streamTracks(watched((count) => void given.push(count)));
    const tracker = new Tracker();
    for (let at = 1; at <= frames; at++) {
      const found = lines.filter(({ frame }) => frame === at).map(({ detection }) => detection);
      const want = frame(found);
      tracker.update(want);
      expect(await update(frame(found)), `frame ${at}`).toEqual(idsOf(want));
    }
    expect(given).toHaveLength(frames);
  });
});

test("ids begin at 1 again after a reset, and when the image size changes", async () => {
  const update = streamTracks();
  expect(await update(frame(row(2)))).toEqual([1, 2]);
  expect(await update(frame(row(3)))).toEqual([1, 2, undefined]);
  expect(await update(frame(row(3).toReversed()), true)).toEqual([1, 2, 3]);
  expect(await update(frame(row(1), 320))).toEqual([1]);
});

test("a result without boxes is refused", async () => {
  const refused = { code: "invalid-option", message: expect.stringContaining("hold no boxes") };
  await expect(streamTracks()({ kind: "embed" } as Result)).rejects.toMatchObject(refused);
});

describe("a worker that is killed", () => {
  test("while it has a frame: the page tracks from that frame on, with new ids", async () => {
    const update = streamTracks(watched((count, worker) => count === 3 && worker.terminate()));
    expect(await update(frame(row(2)))).toEqual([1, 2]);
    expect(await update(frame(row(2, 2)))).toEqual([1, 2]);
    expect(await update(frame(row(3, 4)))).toEqual([3, 4, 5]);
    expect(await update(frame(row(3, 6)))).toEqual([3, 4, 5]);
    expect(await update(frame(row(2)), true)).toEqual([1, 2]);
  });

  test("between two frames: the same", async () => {
    const workers: Worker[] = [];
    const update = streamTracks(watched((_, worker) => workers.push(worker)));
    expect(await update(frame(row(2)))).toEqual([1, 2]);
    workers[0]?.terminate();
    expect(await update(frame(row(2, 2)))).toEqual([3, 4]);
    expect(await update(frame(row(1), 320))).toEqual([1]);
  });
});

test.each([
  [
    "cannot be started",
    () => {
      throw new Error("no worker");
    },
  ],
  ["has no script", () => new Worker(URL.createObjectURL(new Blob(["this is no script"])))],
])("if a worker %s, the page tracks", async (_, start: () => Worker) => {
  const update = streamTracks(start);
  expect(await update(frame(row(2)))).toEqual([1, 2]);
  expect(await update(frame(row(3, 2)))).toEqual([1, 2, undefined]);
  expect(await update(frame(row(3, 4)))).toEqual([1, 2, 3]);
});

test("ending during a frame leaves that frame without ids", async () => {
  const tracks = new StreamTracks(
    trackSettings({}),
    watched(() => tracks.end()),
  );
  const result = frame(row(2));
  await tracks.update(result, false);
  expect(idsOf(result)).toEqual([undefined, undefined]);
});
