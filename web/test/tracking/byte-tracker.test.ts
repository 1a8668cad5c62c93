import { describe, expect, test } from "vitest";
import type { Detection, DetectResult } from "../../src/api/types.js";
import { ByteTracker } from "../../src/tracking/byte-tracker.js";
import { Tracker } from "../../src/tracking/tracker.js";
import { casesOf } from "../support/conformance.js";
import { parsedLine, type Scene } from "../support/recorded-tracks.js";

const DEFAULTS = { highScore: 0.5, lowScore: 0.1, newScore: 0.6, matchIou: 0.2, keepFrames: 30 };

/** Counts ids, switches and fragments of the drawn objects, as `models/tracking/conformance.py` does. */
function counted(frames: readonly (readonly { truth: number; id: number | null }[])[]): Scene["want"] {
  const last = new Map<number, { id: number; frame: number }>();
  const ids = new Set<number>();
  let [switches, fragments] = [0, 0];
  frames.forEach((lines, frame) => {
    for (const { truth, id } of lines) {
      if (id === null) continue;
      ids.add(id);
      if (truth < 0) continue;
      const before = last.get(truth) ?? { id, frame };
      if (before.id !== id) switches++;
      if (before.frame < frame - 1) fragments++;
      last.set(truth, { id, frame });
    }
  });
  return { ids: ids.size, switches, fragments };
}

describe("the ids of drawn scenes equal ByteTrack's in Python", () => {
  test.each(casesOf<Scene>("tracking"))("%s", (_, { frames, mot, want }) => {
    const lines = mot.map(parsedLine);
    const tracker = new ByteTracker(DEFAULTS);
    const got = Array.from({ length: frames }, (_, index) => {
      const own = lines.filter(({ frame }) => frame === index + 1);
      const ids = tracker.update(own.map(({ detection }) => detection));
      expect(ids, `frame ${index + 1}`).toEqual(own.map(({ id }) => (id === -1 ? null : id)));
      return own.map(({ truth }, place) => ({ truth, id: ids[place] ?? null }));
    });
    expect(want.ids).toBeGreaterThan(3);
    expect(counted(got)).toEqual(want);
  });
});

function at(x: number, y: number, more: Partial<Detection> = {}): Detection {
  return {
    box: { x1: x, y1: y, x2: x + 20, y2: y + 40 },
    score: 0.9,
    classIndex: 0,
    label: "cat",
    ...more,
  };
}

describe("a track", () => {
  test("is found again after a loss on its predicted path, up to a frame after keepFrames", () => {
    const found = [11, 12].map((missed) => {
      const tracker = new ByteTracker({ ...DEFAULTS, keepFrames: 10 });
      for (let frame = 0; frame < 20; frame++) expect(tracker.update([at(frame * 4, 0)])).toEqual([1]);
      for (let frame = 0; frame < missed; frame++) expect(tracker.update([])).toEqual([]);
      tracker.update([at((20 + missed) * 4, 0)]);
      return tracker.update([at((21 + missed) * 4, 0)]);
    });
    expect(found).toEqual([[1], [2]]);
  });

  test("is continued by a low score, and begun by a high one only", () => {
    const tracker = new ByteTracker(DEFAULTS);
    expect(tracker.update([at(0, 0), at(100, 0, { score: 0.3 })])).toEqual([1, null]);
    expect(tracker.update([at(1, 0, { score: 0.3 }), at(100, 0, { score: 0.3 })])).toEqual([1, null]);
  });

  test("that begins later is shown once it is seen again", () => {
    const tracker = new ByteTracker(DEFAULTS);
    tracker.update([at(0, 0)]);
    expect(tracker.update([at(0, 0), at(100, 0)])).toEqual([1, null]);
    expect(tracker.update([at(100, 0), at(0, 0)])).toEqual([2, 1]);
  });

  test("never continues with an object of another class", () => {
    const tracker = new ByteTracker(DEFAULTS);
    expect(tracker.update([at(0, 0)])).toEqual([1]);
    expect(tracker.update([at(0, 0, { classIndex: 1 })])).toEqual([null]);
  });

  test("ends while lost if another one, seen for longer, takes its place", () => {
    const tracker = new ByteTracker(DEFAULTS);
    for (let frame = 0; frame < 3; frame++) expect(tracker.update([at(0, 0), at(12, 0)])).toEqual([1, 2]);
    for (const x of [9, 6, 3, 0, 0, 0, 0, 0]) expect(tracker.update([at(x, 0, { score: 0.4 })])).toEqual([2]);
    expect(tracker.update([at(0, 0), at(8, 0)])).toEqual([2, null]);
  });

  test("is forgotten by reset(), and ids begin at 1", () => {
    const tracker = new ByteTracker(DEFAULTS);
    expect(tracker.update([at(0, 0), at(100, 0)])).toEqual([1, 2]);
    tracker.reset();
    expect(tracker.update([at(100, 0)])).toEqual([1]);
  });

  test("is not begun by a box without an area or with NaN", () => {
    const tracker = new ByteTracker(DEFAULTS);
    const flat = { x1: 5, y1: 5, x2: 5, y2: 9 };
    const nan = { x1: Number.NaN, y1: 5, x2: 5, y2: 9 };
    expect(tracker.update([at(0, 0, { box: flat }), at(0, 0, { box: nan }), at(0, 0)])).toEqual([
      null,
      null,
      1,
    ]);
  });
});

test("1,000 frames without a detection end all tracks, and free their memory", () => {
  const tracker = new ByteTracker(DEFAULTS);
  expect(tracker.update([at(0, 0)])).toEqual([1]);
  for (let frame = 0; frame < 1000; frame++) expect(tracker.update([])).toEqual([]);
  expect(tracker.update([at(0, 0)])).toEqual([null]);
  expect(tracker.update([at(0, 0)])).toEqual([2]);
});

test("a repeated result gets the same ids", () => {
  const tracker = new Tracker();
  const first = {
    kind: "detect",
    width: 640,
    height: 480,
    detections: [at(0, 0), at(200, 0)],
  } as DetectResult;
  tracker.update(first);
  expect(first.detections.map(({ track }) => track)).toEqual([1, 2]);
  tracker.reset();
  tracker.update({ ...first, detections: [at(400, 0)] });
  tracker.update(first);
  expect(first.detections.map(({ track }) => track)).toEqual([undefined, undefined]);
});

describe("10,000 detections in a frame", () => {
  test("keep their ids in a grid", () => {
    const tracker = new ByteTracker(DEFAULTS);
    const grid = Array.from({ length: 10_000 }, (_, index) =>
      at((index % 100) * 18, Math.floor(index / 100) * 36),
    );
    const ids = grid.map((_, index) => index + 1);
    for (let frame = 0; frame < 3; frame++) expect(tracker.update(grid)).toEqual(ids);
  });

  test("that form one cluster do not hang", () => {
    const tracker = new ByteTracker(DEFAULTS);
    const heap = Array.from({ length: 10_000 }, (_, index) => at(index / 2000, (index % 97) / 50));
    tracker.update(heap);
    const ids = tracker.update(heap).filter((id) => id !== null);
    expect(ids.length).toBeGreaterThan(100);
    expect(new Set(ids).size).toBe(ids.length);
  });
});
