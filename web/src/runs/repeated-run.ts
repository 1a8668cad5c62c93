// A run of the visitor, repeated on another backend to compare the two.

import { closeResults } from "../api/close-results.js";
import type { PictureSize, Result } from "../api/types.js";
import type { RepeatedRun, VisitorRun } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/fallback-chain.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { RemoteHost } from "../worker/connection.js";
import type { SceneSource } from "./scene-source.js";

/** A worker's answer with the time that it took, without the wait in the queue. */
export interface Timed {
  timings: Pick<Result["timings"], "total">;
}

/** Runs a stage in a worker on a scene that this worker holds. */
export type Ask = (scenes: RemoteHost["scenes"], ref: SceneRef) => Promise<Timed>;

/** How often a scene crosses to a stage in another worker: to a middle one and back, with what that adds. */
type Ways = 1 | 2;

/** Returns the run of a later stage. */
export function laterRun(
  run: Pick<VisitorRun, "variant" | "place" | "form">,
  source: Pick<SceneSource, "copyTo">,
  ask: Ask,
  ways: Ways,
): VisitorRun {
  const on = async (elsewhere: LoadedModel): Promise<RepeatedRun | null> => {
    const copied = await source.copyTo(elsewhere);
    if (copied === null) return null;
    const { ref, transferTime } = copied;
    return { transferTime: transferTime * ways, run: () => timed(elsewhere, (scenes) => ask(scenes, ref)) };
  };
  return { ...run, scene: source, on };
}

/** Runs a stage in a worker that no visitor waits for; returns the milliseconds that it reports. */
export async function timed(
  { connection }: LoadedModel,
  ask: (scenes: RemoteHost["scenes"]) => Promise<Timed & { result?: Result | null }>,
): Promise<number> {
  const answer = await connection.call(({ scenes }) => ask(scenes));
  closeResults([answer, answer.result ?? {}]);
  return answer.timings.total;
}

/** Returns a key: runs with the same key take about the same time. It has the size of the picture and how many of each option. */
export function formOf(kind: string, size: PictureSize | null, options: object): string {
  const shape = Object.entries(options).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.length];
    return [name, typeof value === "boolean" ? value : typeof value];
  });
  const [width, height] = size ?? [1, 1];
  return JSON.stringify([kind, Math.round(Math.log2(width * height)), shape.toSorted()]);
}
