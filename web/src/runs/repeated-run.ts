// Repeats a run of the visitor on another backend, to compare the two.

import { closeResults } from "../api/close-results.js";
import type { PictureSize, Result } from "../api/types.js";
import type { RepeatedRun, VisitorRun } from "../choice/visitor-runs.js";
import type { LoadedModel } from "../fallback/loaded-model.js";
import type { SceneRef } from "../stages/scene-store.js";
import type { RemoteHost } from "../worker/connection.js";
import type { SceneSource } from "./scene-source.js";

/** A worker's answer and its timings, without the wait in the queue. */
export interface Timed {
  timings: Pick<Result["timings"], "total">;
}

/** Runs a stage in a worker, on a scene in that worker. */
export type TimedSceneCall = (scenes: RemoteHost["scenes"], ref: SceneRef) => Promise<Timed>;

/** How often the scene is copied for a run in another worker: once there, for a middle stage also back. */
type Crossings = 1 | 2;

/** Describes a run of a later stage, so that it can be repeated on another backend. */
export function laterStageRun(
  run: Pick<VisitorRun, "variant" | "loaded" | "key">,
  source: Pick<SceneSource, "copyTo">,
  call: TimedSceneCall,
  crossings: Crossings,
): VisitorRun {
  const repeatOn = async (elsewhere: LoadedModel): Promise<RepeatedRun | null> => {
    const copied = await source.copyTo(elsewhere);
    if (copied === null) return null;
    const { ref, transferTime } = copied;
    return {
      transferTime: transferTime * crossings,
      run: () => timeInWorker(elsewhere, (scenes) => call(scenes, ref)),
    };
  };
  return { ...run, scene: source, repeatOn };
}

/** Runs a stage over the connection, to time it. Returns the total milliseconds that the worker reports. */
export async function timeInWorker(
  { connection }: LoadedModel,
  ask: (scenes: RemoteHost["scenes"]) => Promise<Timed & { result?: Result | null }>,
): Promise<number> {
  const answer = await connection.call(({ scenes }) => ask(scenes));
  closeResults([answer, answer.result ?? {}]);
  return answer.timings.total;
}

/**
 * Returns a key of a run's cost, from log2 of the pixels and the options' lengths. Runs with the same key
 * take about as long.
 */
export function runKey(kind: string, size: PictureSize | null, options: object): string {
  const shape = Object.entries(options).map(([name, value]) => {
    if (Array.isArray(value)) return [name, value.length];
    return [name, typeof value === "boolean" ? value : typeof value];
  });
  const [width, height] = size ?? [1, 1];
  return JSON.stringify([kind, Math.round(Math.log2(width * height)), shape.toSorted()]);
}
