// Shows objects in turned boxes.

import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

export const view: ViewModule = {
  kind: "obb",
  create: () =>
    new DetectionsView((result, task) =>
      result.kind === "obb" && task.kind === "obb"
        ? { detections: result.objects, style: { classes: task.classes } }
        : null,
    ),
};
