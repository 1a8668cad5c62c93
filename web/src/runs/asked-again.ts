// The runs of stages that the visitor asked for, as they are asked again on another backend to compare it.

import { closeResults } from "../api/close-results.js";
import type { PictureSize, Result } from "../api/types.js";
import type { Crossing, VisitorRun } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { RemoteHost } from "../worker/connection.js";
import type { SceneSource } from "./scene-source.js";

/** What a worker answers that says how long it took, not counting the wait for its turn. */
export interface Timed {
  timings: Pick<Result["timings"], "total">;
}

/** Asks a stage in a worker, of a scene as that worker knows it. */
export type Ask = (scenes: RemoteHost["scenes"], ref: SceneRef) => Promise<Timed>;

/** How often a scene crosses to a stage in another worker: to a middle one and back, with what that adds. */
export type Ways = 1 | 2;

/** Returns the run of a later stage. */
export function laterRun(
  run: Pick<VisitorRun, "variant" | "place" | "form">,
  source: Pick<SceneSource, "copyTo">,
  ask: Ask,
  ways: Ways,
): VisitorRun {
  const on = async (rival: LoadedModel): Promise<Crossing | null> => {
    const copied = await source.copyTo(rival);
    if (copied === null) return null;
    const { ref, crossing } = copied;
    return { crossing: crossing * ways, run: () => timed(rival, (scenes) => ask(scenes, ref)) };
  };
  return { ...run, scene: source, on };
}

/** Asks a worker that nobody waits for; returns the milliseconds that it says. */
export async function timed(
  { connection }: LoadedModel,
  ask: (scenes: RemoteHost["scenes"]) => Promise<Timed & { result?: Result | null }>,
): Promise<number> {
  const answer = await connection.call(({ scenes }) => ask(scenes));
  closeResults([answer, answer.result ?? {}]);
  return answer.timings.total;
}

/** Returns what says of two runs with the same text that they take about the same time: how many there are of what, not which. */
export function formOf(kind: string, size: PictureSize | null, options: object): string {
  const shape = Object.entries(options).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.length];
    return [name, typeof value === "boolean" ? value : typeof value];
  });
  const [width, height] = size ?? [1, 1];
  return JSON.stringify([kind, Math.round(Math.log2(width * height)), shape.toSorted()]);
}
