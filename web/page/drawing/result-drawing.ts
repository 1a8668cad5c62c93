// The drawing of a task's result for <web-model>: on the stage alone, without the lists of the demo page.

import type { Model, Result, RunOptions } from "../../src/index.js";
import { finalTask } from "../../src/manifest/stages.js";
import { countDetections, type DetectionReader } from "../results/detections.js";
import type { Stage } from "./stage.js";

/** `views/<kind>.ts` exports it as `drawing`. */
export interface ResultDrawing {
  kind: string;
  /** Options of a run whose result can be drawn. */
  options?: RunOptions;
  /** Whether runs need a prompt: clicks or a box. */
  takesPrompt?: true;
  /** Draws the result and returns its text description. Null for a result of another task. `title` is the picture's title. */
  draw(stage: Stage, result: Result, model: Model, title: string): Promise<string | null>;
}

export function detectionDrawing(kind: string, read: DetectionReader): ResultDrawing {
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
