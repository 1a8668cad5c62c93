// One track: an object through the frames of a video.

import type { Candidate } from "./candidates.js";
import { correctMotion, type Motion, predictMotion, startMotion } from "./kalman.js";
import type { Seen } from "./seen.js";
import { measuredOf, type TrackedBox } from "./tracked-box.js";

export class Track implements Candidate {
  readonly id: number;
  readonly classIndex: number;
  readonly begun: number;
  /** Seen in two frames, or in the first one: until then it is not shown. */
  confirmed: boolean;
  lost = false;
  /** The frame that it was last seen in, and its detection's place there. */
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

  /** Where it is expected; a rotated box keeps the angle that it was last seen at. */
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

/** The same rotated box, by the quarter turns that bring its angle next to another: its sides change places. */
function turned(box: TrackedBox, angle: number): TrackedBox {
  const own = box.angle ?? 0;
  const quarters = Math.round((angle - own) / (Math.PI / 2));
  const { width, height } = box;
  const sides = quarters % 2 === 0 ? { width, height } : { width: height, height: width };
  return { ...box, ...sides, angle: own + (quarters * Math.PI) / 2 };
}
