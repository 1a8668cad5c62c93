import { describe, expect, test } from "vitest";
import guide from "../../../docs/guides/javascript.md?raw";
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

  test("does not change its arguments", () => {
    const line = { start: point([0, 0]), end: point([10, 0]) };
    const before = countCrossings(line, [{ box: around(5, -5), track: 1 }]);
    const after = countCrossings(line, [{ box: around(5, 5), track: 1 }], before);
    expect([before.in, after.in]).toEqual([0, 1]);
    expect(before.last.get(1)).toEqual({ x: 5, y: -5 });
  });
});

const LINE = { start: point([0, 0]), end: point([10, 0]) };

test("a NaN box crosses nothing, and its track continues from its last position", () => {
  let got = countCrossings(LINE, [{ box: around(5, -5), track: 1 }]);
  for (const y of [Number.NaN, -4, 5]) got = countCrossings(LINE, [{ box: around(5, y), track: 1 }], got);
  expect(got).toMatchObject({ in: 1, out: 0 });
});

test("for a camera that runs for days, only recent tracks are remembered", () => {
  let got = countCrossings(LINE, [{ box: around(5, -5), track: 1 }]);
  for (let track = 2; track < 5000; track++)
    got = countCrossings(
      LINE,
      [1, track].map((each) => ({ box: around(5, -5), track: each })),
      got,
    );
  expect(got.last.size).toBeLessThan(1100);
  got = countCrossings(
    LINE,
    [1, 2, 4999].map((track) => ({ box: around(5, 5), track })),
    got,
  );
  expect(got).toMatchObject({ in: 2, out: 0 }); // 2 is forgotten
  const crowd = Array.from({ length: 10_000 }, (_, track) => ({ box: around(5, -5), track }));
  got = countCrossings(LINE, crowd, got);
  const below = crowd.map(({ track }) => ({ box: around(5, 5), track }));
  expect(countCrossings(LINE, below, got).in - got.in).toBe(10_000);
});

test("the guide's example counts crossings of its line", () => {
  const code =
    guide
      .split("```js")
      .find((each) => each.includes("countCrossings(line"))
      ?.split("```")[0] ?? "";
  const shown: string[] = [];
  const ways = [300, 350, 390, 410, 450].map((y, frame) => [
    { box: around(300, y), track: 1 }, // down, over the line
    { box: around(900, 800 - y), track: 2 }, // up, over the line
    { box: around(frame === 4 ? 300 : 700, 200), track: 3 }, // into the zone
  ]);
  const model = {
    stream: (_: unknown, on: (result: object) => void) => {
      for (const detections of ways) on({ detections });
    },
  };
  const names = ["model", "video", "show", "countCrossings", "inZone"];
  const run = new Function(...names, code.replace(/^import.*$/m, ""));
  run(model, null, (text: string) => shown.push(text), countCrossings, inZone);
  expect(shown).toHaveLength(5);
  expect(shown[2]).toBe("0 in, 0 out, 1 in the zone");
  expect(shown.at(-1)).toBe("1 in, 1 out, 1 in the zone");
});

test.each(casesOf<ZoneCase>("zones"))("inZone() %s", (_, { zone, points }) => {
  expect(points.length).toBeGreaterThan(0);
  for (const [x, y, inside] of points)
    expect(inZone(zone.map(point), { box: around(x, y) }), `${x} ${y}`).toBe(inside);
});
