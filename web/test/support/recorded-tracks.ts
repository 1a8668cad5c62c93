// Recorded boxes of frames in the format of the MOT challenges.

import type { Detection, OrientedObject } from "../../src/api/types.js";

/** A case of conformance/tracking/. */
export interface Scene {
  frames: number;
  rotated: boolean;
  mot: string[];
  want: { ids: number; switches: number; fragments: number };
}

interface Line {
  frame: number;
  id: number;
  truth: number;
  detection: Detection | OrientedObject;
}

export function parsedLine(text: string): Line {
  const values = text.split(",").map(Number);
  const [frame = 0, id = 0, x1 = 0, y1 = 0, width = 0, height = 0, score = 0, classIndex = 0, truth = 0] =
    values;
  const angle = values[9];
  const box = { x1, y1, x2: x1 + width, y2: y1 + height };
  const upright = { box, score, classIndex, label: `${classIndex}` };
  const center = { x: x1 + width / 2, y: y1 + height / 2 };
  const corners: OrientedObject["corners"] = [center, center, center, center];
  const detection = angle === undefined ? upright : { ...upright, center, width, height, angle, corners };
  return { frame, id, truth, detection };
}
