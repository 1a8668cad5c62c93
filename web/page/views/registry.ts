// Finds the view or the drawing of a task by its kind. The files in views/ are the only list.

import type { ResultDrawing } from "../drawing/result-drawing.js";
import { PageError } from "../shell/failure-card.js";
import type { TaskView, ViewModule } from "./task-view.js";

/** Throws for a kind that the page does not know. */
export function createTaskView(kind: string): TaskView {
  const files = import.meta.glob<ViewModule>(["./*.ts", "!./*-view.ts", "!./registry.ts"], {
    eager: true,
    import: "view",
  });
  const found = Object.values(files).find((view) => view.kind === kind);
  if (found !== undefined) return found.create();
  throw new PageError("unknown-task", `This page has no view of the task ${kind}.`, "Pack the model again.");
}

/** Null for a task that has no drawing. */
export function drawingOf({ kind }: { kind: string }): ResultDrawing | null {
  const files = import.meta.glob<ResultDrawing>(["./*.ts", "!./*-view.ts", "!./registry.ts"], {
    eager: true,
    import: "drawing",
  });
  return Object.values(files).find((drawing) => drawing.kind === kind) ?? null;
}
