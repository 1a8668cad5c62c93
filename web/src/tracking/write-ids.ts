// Sets the ids of detections.

import type { Detection } from "../api/types.js";

/** Sets each detection's id; null or 0 means none. */
export function writeIds(detections: readonly Detection[], ids: ArrayLike<number | null>): void {
  detections.forEach((detection, index) => {
    const id = ids[index];
    if (id) detection.track = id;
    else if (detection.track !== undefined) delete detection.track;
  });
}
