// Shows objects in boxes.

import { DetectionsView } from "./detections-view.js";
import type { ViewModule } from "./task-view.js";

export const view: ViewModule = {
  kind: "detect",
  create: () =>
    new DetectionsView((result, task) =>
      result.kind === "detect" && task.kind === "detect"
        ? { detections: result.detections, style: { classes: task.classes } }
        : null,
    ),
};
