// How the result of a task is drawn on a stage, wherever that is: on the demo page, or in an element of another page.

import type { Model, Result, RunOptions } from "../../src/index.js";
import { finalTask } from "../../src/manifest/stages.js";
import { countDetections, type ReadDetections } from "../results/detections.js";
import type { Stage } from "./stage.js";

/** Lies in `views/<kind>.ts` as `drawing`. */
export interface ResultDrawing {
  kind: string;
  /** What a run is asked for, so that its result can be drawn. */
  options?: RunOptions;
  /** Whether a picture is asked about what a visitor points at, as often as they do. */
  pointed?: true;
  /** Draws the result and returns it in words. Null for a result of another task. `title` is the picture's. */
  draw(stage: Stage, result: Result, model: Model, title: string): Promise<string | null>;
}

export function detectionDrawing(kind: string, read: ReadDetections): ResultDrawing {
  return {
    kind,
    async draw(stage, result, model, title) {
      const found = read(result, finalTask(model.manifest));
      if (found === null) return null;
      const words = `${countDetections(found, model.manifest)} found`;
      await stage.showDetections(found.detections, found.style, `${title}: ${words}`);
      return words;
    },
  };
}
