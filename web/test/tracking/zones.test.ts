import { describe, expect, test } from "vitest";
import { type Crossings, countCrossings, inZone } from "../../src/index.js";
import { casesOf } from "../support/conformance.js";

interface LineCase {
  line: [number, number][];
  frames: [track: number | null, x: number, y: number][][];
  anchor?: "center" | "bottom";
  want: { in: number; out: number };
}

interface ZoneCase {
  zone: [number, number][];
  points: [x: number, y: number, inside: boolean][];
}

function point([x, y]: readonly number[] = []): { x: number; y: number } {
  return { x: x ?? 0, y: y ?? 0 };
}

function around(x: number, y: number) {
  return { x1: x - 2, y1: y - 4, x2: x + 2, y2: y + 4 };
}

describe("countCrossings()", () => {
  test.each(casesOf<LineCase>("crossings"))("%s", (_, { line, frames, anchor, want }) => {
    const at = { start: point(line[0]), end: point(line[1]) };
    let got: Crossings | undefined;
    for (const frame of frames) {
      const detections = frame.map(([track, x, y]) => ({
        box: around(x, y),
        ...(track === null ? {} : { track }),
      }));
      got = countCrossings(at, detections, got, anchor);
    }
    expect(got).toMatchObject(want);
  });

  test("does not change what it is given", () => {
    const line = { start: point([0, 0]), end: point([10, 0]) };
    const before = countCrossings(line, [{ box: around(5, -5), track: 1 }]);
    const after = countCrossings(line, [{ box: around(5, 5), track: 1 }], before);
    expect([before.in, after.in]).toEqual([0, 1]);
    expect(before.last.get(1)).toEqual({ x: 5, y: -5 });
  });
});

test.each(casesOf<ZoneCase>("zones"))("inZone() %s", (_, { zone, points }) => {
  expect(points.length).toBeGreaterThan(0);
  for (const [x, y, inside] of points)
    expect(inZone(zone.map(point), { box: around(x, y) }), `${x} ${y}`).toBe(inside);
});
