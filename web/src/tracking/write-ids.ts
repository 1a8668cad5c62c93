// Ids into the detections that have them.

import type { Detection } from "../api/types.js";

/** Of each detection its id: null or 0 for none. */
export function writeIds(detections: readonly Detection[], ids: ArrayLike<number | null>): void {
  detections.forEach((detection, index) => {
    const id = ids[index];
    if (id) detection.track = id;
    else if (detection.track !== undefined) delete detection.track;
  });
}
