import { expect, test } from "vitest";
import { type VisitorRun, VisitorRuns } from "../../src/choice/visitor-runs.js";
import { leastTime } from "../../src/engine/least-time.js";
import type { LoadedModel } from "../../src/fallback/loaded-model.js";
import type { Manifest } from "../../src/manifest/manifest.js";
import { runKey } from "../../src/runs/repeated-run.js";

const GPU = {} as LoadedModel;
const ELSEWHERE = {} as LoadedModel;
const ONE = {} as Manifest;
const TWO = {} as Manifest;

function run(change: Partial<VisitorRun> = {}): VisitorRun {
  const repeatOn = async () => ({ transferTime: 30, run: async () => 7 });
  return { variant: ONE, loaded: GPU, key: "click", scene: ONE, repeatOn, ...change };
}

function heard(...runs: [VisitorRun, number][]): VisitorRuns {
  const runsOfVisitor = new VisitorRuns();
  for (const [each, time] of runs) runsOfVisitor.record(each, time);
  return runsOfVisitor;
}

test("three runs of one kind are enough, and runs of one scene share its encoding cost", async () => {
  const trial = heard([run(), 90], [run(), 20], [run(), 22]).trial(300);
  expect(trial).toMatchObject({ variant: ONE, time: 22, isEnough: true, bytes: 100 });
  expect([await trial?.own(), await trial?.own(), await trial?.own(), await trial?.own()]).toEqual([
    90, 20, 22, 90,
  ]);
  expect(await (await trial?.runOn(ELSEWHERE))?.()).toBe(7 + 30 / 3);
});

test.each([
  ["graphs", { variant: TWO }],
  ["kinds", { key: "box" }],
  ["places, as after a lost GPU", { loaded: ELSEWHERE }],
])("runs of other %s are not counted together", (_, other) => {
  const trial = heard([run(), 20], [run(other), 21], [run(), 22]).trial(0);
  expect(trial).toMatchObject({ isEnough: false, time: 20 });
});

test("runs on separate scenes each pay the whole cost", async () => {
  const trial = heard([run({ scene: {} }), 1], [run({ scene: {} }), 1], [run({ scene: {} }), 1]).trial(300);
  expect(trial?.bytes).toBe(300);
  expect(await (await trial?.runOn(ELSEWHERE))?.()).toBe(37);
});

test("a released scene cannot be compared, nor can zero runs", async () => {
  const gone = run({ repeatOn: async () => null });
  expect(await heard([gone, 1], [gone, 1], [gone, 1]).trial(0)?.runOn(ELSEWHERE)).toBeNull();
  expect(new VisitorRuns().trial(0)).toBeNull();
});

test("the kind of a run depends on the form of its options, not on their values", () => {
  const points = [{ x: 1, y: 2 }];
  const form = (options: object): string => runKey("run", [100, 100], options);
  expect(form({ points, confidence: 0.5 })).toBe(form({ confidence: 0.9, points: [{ x: 9, y: 9 }] }));
  expect(form({ points, multimask: true })).not.toBe(form({ points, multimask: false }));
  expect(form({ points })).not.toBe(form({ points: [...points, ...points] }));
  expect(runKey("run", [4000, 3000], {})).not.toBe(runKey("run", [640, 480], {}));
});

test("the cost estimate counts arithmetic, kernels and bytes for WASM, and nothing for a GPU", () => {
  const least = (macs: number, nodes: number, bytes: number, threads = 1): number =>
    leastTime({ target: "wasm", macs, nodes }, threads, bytes);
  expect(least(4e9, 0, 0)).toBe(200);
  expect(least(4e9, 0, 0, 4)).toBe(50);
  expect(least(0, 1000, 0)).toBeGreaterThan(0);
  expect(least(0, 0, 16e6)).toBeGreaterThan(0);
  expect(leastTime({ target: "webgpu", macs: 4e9, nodes: 1000 }, 1, 16e6)).toBe(0);
});
