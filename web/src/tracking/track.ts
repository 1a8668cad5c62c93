// One track: an object through the frames of a video.

import type { Candidate } from "./candidates.js";
import { correctMotion, type Motion, predictMotion, startMotion } from "./kalman.js";
import type { Seen } from "./seen.js";
import { measuredOf, type TrackedBox } from "./tracked-box.js";

export class Track implements Candidate {
  readonly id: number;
  readonly classIndex: number;
  readonly begun: number;
  /** Seen in two frames, or in the first one. Until then its id is not reported. */
  confirmed: boolean;
  lost = false;
  /** The frame where it was last seen, and its detection's index there. */
  frame: number;
  index: number;
  #motion: Motion;
  #angle: number | null;

  constructor(id: number, frame: number, { box, classIndex, index }: Seen) {
    this.id = id;
    this.classIndex = classIndex;
    this.begun = frame;
    this.confirmed = frame === 1;
    this.frame = frame;
    this.index = index;
    this.#motion = startMotion(measuredOf(box));
    this.#angle = box.angle;
  }

  /** The predicted box. A rotated box keeps its last angle. */
  get box(): TrackedBox {
    const [x, y, aspect, height] = this.#motion;
    return { x: x.at, y: y.at, width: aspect.at * height.at, height: height.at, angle: this.#angle };
  }

  predict(): void {
    this.#motion = predictMotion(this.#motion, this.lost);
  }

  match(frame: number, { box, index }: Seen): void {
    const seen = this.#angle === null ? box : turned(box, this.#angle);
    this.#motion = correctMotion(this.#motion, measuredOf(seen));
    this.#angle = seen.angle;
    this.confirmed = true;
    this.lost = false;
    this.frame = frame;
    this.index = index;
  }
}

/**
 * Returns the same rotated box, turned by quarter turns so that its angle is closest to `angle`: its sides
 * may swap.
 */
function turned(box: TrackedBox, angle: number): TrackedBox {
  const own = box.angle ?? 0;
  const quarters = Math.round((angle - own) / (Math.PI / 2));
  const { width, height } = box;
  const sides = quarters % 2 === 0 ? { width, height } : { width: height, height: width };
  return { ...box, ...sides, angle: own + (quarters * Math.PI) / 2 };
}
