// Shows objects and the pixels of each. Masks of one class are to be told apart all the same.

import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

export const view: ViewModule = {
  kind: "segment",
  create: () =>
    new DetectionsView((result, task) =>
      result.kind === "segment" && task.kind === "segment"
        ? { detections: result.segments, style: { classes: task.classes, colorByRank: true } }
        : null,
    ),
};
